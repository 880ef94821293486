"""Requests as the server reads them, within bounds of size and time."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from target_service.http.fields import BODY_BYTES
from target_service.http.problems import BodyTooLarge, HeadTooLarge, Problem, TooSlow

HEAD_BYTES = 65_536
REQUEST_SECONDS = 60.0


class BoundedRequests(HttpToolsProtocol):
    """One connection, which ends when a request on it is too long, or is not whole in time.

    The server itself keeps all headers that come, and waits for their end for ever. A connection
    on which nothing was ever asked ends as one on which nothing is asked any more.
    """

    head_bytes = HEAD_BYTES
    # Chunks carry their lengths, and more behind the last of them.
    whole_bytes = 2 * BODY_BYTES
    seconds = REQUEST_SECONDS

    _received = 0
    _is_whole = True
    _is_in_head = False
    _is_next = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._whole()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came; refuse a request that has grown too long without coming to its end."""
        if self._is_whole:
            self._received, self._is_next = 0, True
        self._received += len(data)
        super().data_received(data)
        if self._is_whole or self.transport.is_closing():
            return
        if self._is_in_head and self._received > self.head_bytes:
            self._refuse(HeadTooLarge(self.head_bytes))
        elif self._received > self.whole_bytes:
            self._refuse(BodyTooLarge(BODY_BYTES))
        elif self._deadline is None:
            too_slow = TooSlow(self.seconds)
            self._deadline = self.loop.call_later(self.seconds, self._refuse, too_slow)

    def on_message_begin(self) -> None:
        """Begin to count a request's bytes."""
        if not self._is_next:
            # It began somewhere within what was read, of which it has one read's worth at most.
            self._received = 0
        self._is_whole, self._is_in_head, self._is_next = False, True, False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that the body follows."""
        self._is_in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note that the request is whole."""
        self._whole()
        super().on_message_complete()

    def _whole(self) -> None:
        self._is_whole = True
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, problem: Problem) -> None:
        """Say why unless an answer is due to an earlier request, and end the connection."""
        cycle = self.cycle
        is_answered = cycle is None or cycle.response_complete
        if is_answered or not (self._is_in_head or self.pipeline or cycle.response_started):
            answer = problem.answer()
            head = [f"HTTP/1.1 {problem.status} {problem.title}\r\n".encode()]
            head += [name + b": " + value + b"\r\n" for name, value in answer.start["headers"]]
            self.transport.write(b"".join(head) + b"\r\n" + answer.body["body"])
        self.transport.close()
