"""What every operation of the load offers, and how its answers are read."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from locustfiles.errors import UNREADABLE
from locustfiles.http.connection import FailureKind
from locustfiles.recording.last_scores import Accepted
from locustfiles.schedule.arrival import Arrival


class Reply(NamedTuple):
    """What an answer means: the kind of failure, or the status that it states.

    `accepted` is the score event that the answer acknowledges, if it does; `age_us` is the age
    that the answer states.
    """

    failure: FailureKind | None
    status: str | None = None
    accepted: Accepted | None = None
    age_us: int | None = None


class Operation(Protocol):
    """Turns arrivals into requests and judges the answers."""

    name: str

    def request(self, arrival: Arrival) -> bytes:
        """The whole HTTP request for an arrival."""
        ...

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """Check cheaply whether a whole answer is what the operation promises."""
        ...


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


class Ranked(Protocol):
    """An answer from boards that may be behind what was accepted."""

    recovering: bool


def freshness(answer: Ranked) -> str | None:
    """The status `recovering` for an answer that may be behind, and none for one that is not."""
    return "recovering" if answer.recovering else None
