"""colleagues: an organisation by points, `GET /v1/organizations/{id}/leaderboard`."""

from itertools import pairwise

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.members import Members
from locustfiles.operations.reading import read_answer


class _Entry(msgspec.Struct):
    member: str
    points: int


class _Answer(msgspec.Struct):
    organization: str
    entries: list[_Entry]


_decoder = msgspec.json.Decoder(_Answer)


class Colleagues:
    """Reads the first members of the organisation that the arrival's member belongs to."""

    name = "colleagues"

    def __init__(self, address: Address, members: Members) -> None:
        self._members = members
        self._head = f"GET {address.path}/v1/organizations/"
        self._tail = f"/leaderboard HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the board."""
        return f"{self._head}{self._members.organization(arrival.player)}{self._tail}".encode(
            "ascii"
        )

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about that organisation, and in order."""
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        places = [(one.points, one.member) for one in answer.entries]
        is_ordered = all(upper > lower for upper, lower in pairwise(places))
        is_theirs = answer.organization == self._members.organization(arrival.player)
        return Reply(None if is_theirs and places and is_ordered else "bad_body")
