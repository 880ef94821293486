"""achievements: a member opens the own page, `GET /v1/members/{id}/achievements`."""

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.members import Members
from locustfiles.operations.reading import read_answer


class _Level(msgspec.Struct):
    level: int
    at: int
    points: int
    unlocked_at: str | None


class _Achievement(msgspec.Struct):
    total: int
    level: int
    levels: list[_Level]

    def is_settled(self) -> bool:
        """Whether every level that the total reaches is unlocked, and in order."""
        unlocked = [one.unlocked_at is not None for one in self.levels]
        reached = sum(one.at <= self.total for one in self.levels)
        return self.level >= reached and unlocked == [
            one.level <= self.level for one in self.levels
        ]


class _Answer(msgspec.Struct):
    member: str
    points: int
    achievements: list[_Achievement]


_decoder = msgspec.json.Decoder(_Answer)


class Achievements:
    """Reads where a member stands; the page must be settled, level by level."""

    name = "achievements"

    def __init__(self, address: Address, members: Members) -> None:
        self._members = members
        self._head = f"GET {address.path}/v1/members/"
        self._tail = f"/achievements HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the page of the arrival's member."""
        return f"{self._head}{self._members.member_id(arrival.player)}{self._tail}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about that member, and its points are those of the unlocked levels."""
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        earned = sum(
            level.points
            for one in answer.achievements
            for level in one.levels
            if level.unlocked_at is not None
        )
        is_settled = all(one.is_settled() for one in answer.achievements)
        is_right = (answer.member, answer.points) == (
            self._members.member_id(arrival.player),
            earned,
        )
        return Reply(None if is_right and is_settled else "bad_body")
