"""HTTP answers as the two ASGI messages that send them."""

from typing import NamedTuple

from starlette.types import Message

JSON = b"application/json"


class Answer(NamedTuple):
    """A status and the two messages that send the whole answer."""

    status: int
    start: Message
    body: Message


def answer(
    body: bytes,
    status: int = 200,
    media_type: bytes = JSON,
    headers: tuple[tuple[bytes, bytes], ...] = (),
) -> Answer:
    """Return the answer with this body; the same object may be sent any number of times."""
    head = [
        (b"content-type", media_type),
        (b"content-length", str(len(body)).encode()),
        *headers,
    ]
    return Answer(
        status,
        {"type": "http.response.start", "status": status, "headers": head},
        {"type": "http.response.body", "body": body},
    )
