"""Reading what the service answered: the body of a success, or how the request failed."""

from collections.abc import Set as AbstractSet
from typing import Final, TypeVar

import msgspec

from locustfiles.failure import FailureKind
from locustfiles.operations.contract import Reply
from locustfiles.unreadable import UNREADABLE

Answer = TypeVar("Answer")

OK: Final = 200


def read_answer(
    decoder: msgspec.json.Decoder[Answer],
    status: int,
    body: bytes,
    successes: AbstractSet[int] = frozenset({OK}),
) -> Answer | Reply:
    """The body of a success; of anything else, the reply that names the failure."""
    if status not in successes:
        return Reply(failure_of_status(status))
    try:
        return decoder.decode(body)
    except UNREADABLE:
        return Reply("bad_body")


def failure_of_status(status: int) -> FailureKind:
    """The kind for a status that is no success of the operation."""
    match status // 100:
        case 4:
            return "http_4xx"
        case 5:
            return "http_5xx"
        case _:
            return "other"
