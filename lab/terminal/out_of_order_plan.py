"""What the out-of-order drill sends, and what must become of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from workload.dataset import Entry

FIRST: Final = "First event of a player"
OLDER: Final = "Delayed older event"
EQUAL: Final = "Equal sequence of another event"
NEWER: Final = "Newer sequence"
RETRY: Final = "Retry of an old event"
OTHER: Final = "Independent players"
OUTAGE: Final = "Older event during the outage"


@dataclass(frozen=True)
class Step:
    """One event, the answer it must get, and the score its player must have after it.

    A claim is proven by all of its steps.
    """

    claim: str
    event_id: str
    entry: Entry
    sequence: int
    status: str
    score_after: int


@dataclass(frozen=True)
class Story:
    """The events while all is well, those while Redis is down, and where both players end."""

    before: tuple[Step, ...]
    during: tuple[Step, ...]

    def players(self) -> tuple[Entry, ...]:
        """The players, each with the score of its last step."""
        return _last(self.before + self.during)

    def players_before(self) -> tuple[Entry, ...]:
        """The same players, each with its score when Redis goes down."""
        return _last(self.before)


def make_story(partitions: Sequence[str]) -> Story:
    """Write the story of two players, on two partitions where there are two.

    Some late events carry a higher score and some newer ones a lower one: the sequence decides,
    never the score.
    """
    one, other = partitions[0], partitions[-1]

    def step(claim: str, event: str, score: int, status: str, score_after: int) -> Step:
        """One row; the event names its player and its sequence."""
        player, sequence = event.split("-")[:2]
        entry = Entry(f"player-{player}", one if player == "one" else other, score)
        return Step(claim, event, entry, int(sequence), status, score_after)

    return Story(
        before=(
            step(FIRST, "one-2", 500, "applied", 500),
            step(OLDER, "one-1", 400, "stale", 500),
            step(OLDER, "one-1-higher", 900, "stale", 500),
            step(EQUAL, "one-2-other", 900, "stale", 500),
            step(NEWER, "one-3", 450, "applied", 450),
            step(RETRY, "one-2", 500, "duplicate", 450),
            step(RETRY, "one-1", 400, "stale", 450),
            step(OTHER, "two-1", 300, "applied", 300),
        ),
        during=(
            step(OUTAGE, "one-6", 700, "durable-only", 700),
            step(OUTAGE, "one-5", 800, "stale", 700),
            step(OUTAGE, "one-6", 700, "duplicate", 700),
            step(OUTAGE, "one-7", 650, "durable-only", 650),
            step(OTHER, "two-2", 350, "durable-only", 350),
            step(OUTAGE, "two-1", 300, "duplicate", 350),
        ),
    )


def _last(steps: Sequence[Step]) -> tuple[Entry, ...]:
    entries = {
        step.entry.player: Entry(step.entry.player, step.entry.partition, step.score_after)
        for step in steps
    }
    return tuple(entries.values())
