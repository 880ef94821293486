"""One HTTP request as the hot routes see it."""

from typing import NamedTuple

from starlette.types import Receive, Scope

from target_service.answers import JSON
from target_service.leaderboard.rules import BODY_BYTES
from target_service.problems import BodyTooLarge, UnsupportedMedia


class ClientGone(Exception):
    """The client left before its request was whole; nobody waits for an answer."""


class Call(NamedTuple):
    """The path's segments as sent (still percent-encoded), the query, and the body to come."""

    segments: tuple[bytes, ...]
    query: bytes
    scope: Scope
    receive: Receive

    async def body(self) -> bytes:
        """Return the whole body.

        Raises:
            UnsupportedMedia: it is not said to be JSON.
            BodyTooLarge: it is longer than any valid one.
            ClientGone: it will never be whole.

        """
        media = b""
        for name, value in self.scope["headers"]:
            if name == b"content-type":
                media = value
            elif name == b"content-length" and int(value) > BODY_BYTES:
                raise BodyTooLarge(BODY_BYTES)
        if media != JSON and media.partition(b";")[0].strip().lower() != JSON:
            raise UnsupportedMedia
        message = await self.receive()
        body: bytes = message.get("body", b"")
        chunks = [body]
        length = len(body)
        while message.get("more_body") and length <= BODY_BYTES:
            message = await self.receive()
            chunks.append(message.get("body", b""))
            length += len(chunks[-1])
        if message["type"] == "http.disconnect":
            raise ClientGone
        if length > BODY_BYTES:
            raise BodyTooLarge(BODY_BYTES)
        return body if len(chunks) == 1 else b"".join(chunks)
