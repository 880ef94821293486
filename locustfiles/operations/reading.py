"""Reading what the service answered: the body of a success, or how the request failed."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final, TypeVar

import msgspec

from locustfiles.failure import FailureKind
from locustfiles.operations.contract import Reply
from locustfiles.unreadable import UNREADABLE

Answer = TypeVar("Answer")

OK: Final = 200
_REFUSALS: Final[Mapping[str, FailureKind]] = MappingProxyType(
    {"READONLY": "redis_readonly", "NOPERM": "redis_noperm", "OOM": "redis_oom"}
)


class _Problem(msgspec.Struct):
    redis_error: str = ""


_read_problem = msgspec.json.Decoder(_Problem).decode


def read_answer(
    decoder: msgspec.json.Decoder[Answer],
    status: int,
    body: bytes,
    successes: AbstractSet[int] = frozenset({OK}),
) -> Answer | Reply:
    """The body of a success; of anything else, the reply that names the failure."""
    if status not in successes:
        return Reply(failure_of(status, body))
    try:
        return decoder.decode(body)
    except UNREADABLE:
        return Reply("bad_body")


def failure_of(status: int, body: bytes) -> FailureKind:
    """The kind for an answer that is no success of the operation."""
    match status // 100:
        case 4:
            return "http_4xx"
        case 5:
            return _refused_by_redis(body) or "http_5xx"
        case _:
            return "other"


def _refused_by_redis(body: bytes) -> FailureKind | None:
    """The kind of what Redis refused, when a problem document says that it did."""
    try:
        code = _read_problem(body).redis_error
    except UNREADABLE:
        return None
    return _REFUSALS.get(code, "redis_refused") if code else None
