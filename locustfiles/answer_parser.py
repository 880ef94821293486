"""Reads the answers that arrive on one connection, one after the other."""

import contextlib
from typing import Final

from geventhttpclient._parser import HTTPParseError, HTTPResponseParser

_FIRST_FINAL_STATUS: Final = 200


class AnswerParser(HTTPResponseParser):
    """Collects status and body of the answer that is expected; headers are skipped."""

    def __init__(self) -> None:
        super().__init__()
        self.status = 0
        self.body = b""
        self._parts: list[bytes] = []
        self.is_complete = False
        self._has_excess = False

    def expect_answer(self) -> None:
        """Get ready for the next answer."""
        self.body = b""
        self._parts = []
        self.is_complete = False

    def take(self, part: bytes) -> None:
        """Parse what arrived.

        Raises:
            HTTPParseError: it is no HTTP.
        """
        try:
            self.feed(part)
        except HTTPParseError:
            if not self.is_complete:
                raise
            self._has_excess = True

    def is_complete_at_end(self) -> bool:
        """Whether the end of the stream completes the answer, as it may without a length."""
        with contextlib.suppress(HTTPParseError):
            self.feed(b"")
        return self.is_complete

    def can_go_on(self) -> bool:
        """Whether the connection can carry another request."""
        return not self._has_excess and self.should_keep_alive()

    def _on_message_begin(self) -> None:
        # Nobody asked for a second answer, so whatever else arrives cannot be told apart.
        self._has_excess = self.is_complete

    def _on_body(self, part: bytes) -> None:
        if not self._has_excess:
            self._parts.append(bytes(part))

    def _on_message_complete(self) -> None:
        # An interim answer (1xx) is followed by the one that counts.
        if self._has_excess or self.get_code() < _FIRST_FINAL_STATUS:
            return
        self.status = self.get_code()
        self.body = b"".join(self._parts)
        self.is_complete = True

    # llhttp's binding calls all of these, whoever listens.

    def _on_status(self, text: str) -> None: ...

    def _on_header_field(self, text: str) -> None: ...

    def _on_header_value(self, text: str) -> None: ...

    def _on_headers_complete(self) -> None: ...
