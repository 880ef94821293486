"""What the records should hold, kept in dictionaries and counted the long way round."""

from dataclasses import dataclass, field

from target_service.achievements.counting import Count
from target_service.achievements.tracks import COLUMNS, NOTHING, TRACKS, Numbers

KEPT_MS = 86_400_000
WORTH = {
    (track.achievement, number): level.points
    for track in TRACKS
    for number, level in enumerate(track.levels, 1)
}


@dataclass
class Member:
    """One member."""

    organization: str | None = None
    numbers: Numbers = NOTHING
    totals: Numbers = NOTHING
    unlocked: list[tuple[str, int]] = field(default_factory=list)
    seen: int = 0

    @property
    def points(self) -> int:
        """The points of what is unlocked."""
        return sum(WORTH[unlock] for unlock in self.unlocked)


class Truth:
    """All members, every event id of the last day, and all unlocks in order."""

    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self.events: dict[str, tuple[str, Numbers, int]] = {}
        self.unlocks: list[tuple[str, str, int]] = []

    def member(self, name: str) -> Member:
        """The member, known from now on."""
        return self.members.setdefault(name, Member())

    def count(self, count: Count, now_ms: int) -> tuple[int, int] | str:
        """Applied and duplicate, or why nothing was."""
        events = dict(self.events)
        numbers, applied = self.members.get(count.member, Member()).numbers, 0
        for event_id, adds in count.events:
            if event_id in events:
                if events[event_id][:2] != (count.member, adds):
                    return "reused"
                continue
            events[event_id] = (count.member, adds, now_ms)
            numbers = tuple(a + b for a, b in zip(numbers, adds, strict=True))
            applied += 1
        if not possible(numbers):
            return "impossible"
        if applied:
            self.events = events
            self.member(count.member).numbers = numbers
        return applied, len(count.events) - applied

    def recount(self, name: str) -> None:
        """Unlock what the numbers say, lowest level first, track by track."""
        member = self.members[name]
        member.totals = member.numbers
        for track, number in zip(TRACKS, member.numbers, strict=True):
            for level, asked in enumerate(track.levels, 1):
                unlock = (track.achievement, level)
                if number >= asked.at and unlock not in member.unlocked:
                    member.unlocked.append(unlock)
                    self.unlocks.append((name, *unlock))

    def forget(self, now_ms: int) -> None:
        """Forget the ids of more than a day ago."""
        kept_ms = now_ms - KEPT_MS
        self.events = {name: event for name, event in self.events.items() if event[2] >= kept_ms}

    def board(self, organization: str) -> dict[str, int]:
        """Everybody of the organisation with the points of their last recount."""
        return {
            name: member.points
            for name, member in self.members.items()
            if member.organization == organization
        }


def possible(numbers: Numbers) -> bool:
    """Whether counters can be so."""
    values = dict(zip(COLUMNS, numbers, strict=True))
    is_funnel = values["signups"] >= values["organizations"] >= values["paid_accounts"]
    return is_funnel and max(numbers) <= 2**53 - 1
