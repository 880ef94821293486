"""What the counters refuse, each whole: nothing of a refused write is stored.

Refusal
├── EventReused    an event id was sent before with other adds
└── CannotBe       the counters would be impossible
"""

from collections.abc import Sequence

from target_service.achievements.counters import Impossible


class Refusal(Exception):
    """A write that is refused for what it says, and not for the state of the disk."""


class EventReused(Refusal):
    """An event id belongs to other adds."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"Event {event_id} was sent before with other contents.")


class CannotBe(Refusal):
    """The counters would be impossible."""

    def __init__(self, problems: Sequence[Impossible]) -> None:
        super().__init__("; ".join(f"{column} {reason}" for column, reason in problems))
        self.problems = problems
