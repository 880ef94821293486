"""What every operation of the load offers."""

from typing import NamedTuple, Protocol

from locustfiles.arrival import Arrival
from locustfiles.failure import FailureKind
from locustfiles.last_scores import Accepted


class Reply(NamedTuple):
    """What an answer means: the kind of failure, or the status it told.

    `accepted` is the score event that the service now vouches for, if the answer says so;
    `age_us` is how old the answer was by its own account.
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
        """Decide cheaply whether a whole answer holds what the operation promises."""
        ...
