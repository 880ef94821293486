"""count, achievements and colleagues: the load on the achievements."""

from itertools import pairwise
from typing import Final

import msgspec

from locustfiles.http.dialer import Address
from locustfiles.operations.contract import Reply, read_answer
from locustfiles.operations.places import Members
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival

# Of twenty events: page views, a third of them by new visitors, clicks and two conversions.
_ADDS: Final = (
    *('"page_views":1',) * 10,
    *('"page_views":1,"unique_visitors":1',) * 5,
    *('"link_clicks":1',) * 3,
    '"signups":1',
    '"signups":1,"organizations":1',
)


class _CountAnswer(msgspec.Struct):
    applied: int
    duplicate: int


_count_decoder = msgspec.json.Decoder(_CountAnswer)


class Count:
    """Adds to a member's counters; the arrival's number chooses which."""

    name = "count"

    def __init__(self, plan: Plan, address: Address, members: Members) -> None:
        self._members = members
        self._event_prefix = plan.run_id
        self._head = f"POST {address.path}/v1/members/"
        self._tail = (
            f"/counters HTTP/1.1\r\nHost: {address.host_header}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )

    def request(self, arrival: Arrival) -> bytes:
        """Count one event of the arrival's member."""
        number = arrival.number
        body = f'{{"event_id":"{self._event_prefix}-{number}",{_ADDS[number % len(_ADDS)]}}}'
        member = self._members.member_id(arrival.player)
        return f"{self._head}{member}{self._tail}{len(body)}\r\n\r\n{body}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:  # noqa: ARG002  (the contract's)
        """A success says whether the event was new."""
        answer = read_answer(_count_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        if (answer.applied, answer.duplicate) == (1, 0):
            return Reply(None, "applied")
        return Reply(None, "duplicate") if answer.duplicate == 1 else Reply("bad_body")


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


class _AchievementsAnswer(msgspec.Struct):
    member: str
    points: int
    achievements: list[_Achievement]


_achievements_decoder = msgspec.json.Decoder(_AchievementsAnswer)


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
        answer = read_answer(_achievements_decoder, status, body)
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


class _Entry(msgspec.Struct):
    member: str
    points: int


class _ColleaguesAnswer(msgspec.Struct):
    organization: str
    entries: list[_Entry]


_colleagues_decoder = msgspec.json.Decoder(_ColleaguesAnswer)


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
        answer = read_answer(_colleagues_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        places = [(one.points, one.member) for one in answer.entries]
        is_ordered = all(upper > lower for upper, lower in pairwise(places))
        is_theirs = answer.organization == self._members.organization(arrival.player)
        return Reply(None if is_theirs and places and is_ordered else "bad_body")
