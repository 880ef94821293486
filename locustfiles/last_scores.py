"""The last score that each player was told was accepted, and whose score is uncertain."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class LastScores:
    """By player index; workers hand over what is new, and no two send for the same player.

    A player stays uncertain after one unknown outcome: that write may still land after a later
    one that was accepted.
    """

    accepted: dict[int, int] = field(default_factory=dict)
    uncertain: set[int] = field(default_factory=set)

    def as_message(self) -> dict[str, Any]:
        """The scores in the plain types that a message between processes can hold."""
        return {"accepted": self.accepted, "uncertain": list(self.uncertain)}

    def add_message(self, message: dict[str, Any]) -> None:
        """Take over the newer scores that a message holds."""
        self.accepted.update(message["accepted"])
        self.uncertain.update(message["uncertain"])
