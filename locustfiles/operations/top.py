"""top: the best players of a season, `GET /v1/top`."""

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.freshness import freshness
from locustfiles.operations.reading import read_answer
from locustfiles.plan import Plan


class _Entry(msgspec.Struct):
    player: str
    score: int
    partition: str


class _Answer(msgspec.Struct):
    entries: list[_Entry]
    as_of: str
    recovering: bool = False


_decoder = msgspec.json.Decoder(_Answer)


class Top:
    """Reads the first K, of each active season in turn."""

    name = "top"

    def __init__(self, plan: Plan, address: Address) -> None:
        self._k = plan.load.k
        self._requests = [
            (
                f"GET {address.path}/v1/top?k={self._k}&season={season} HTTP/1.1\r\n"
                f"Host: {address.host_header}\r\n\r\n"
            ).encode("ascii")
            for season in plan.assumptions.active_seasons
        ]

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the first K."""
        return self._requests[arrival.number % len(self._requests)]

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success holds entries, and not more than were asked for."""
        del arrival
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        is_page = 0 < len(answer.entries) <= self._k
        return Reply(None, freshness(answer)) if is_page else Reply("bad_body")
