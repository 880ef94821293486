"""Each player's newest score that the service acknowledged, and whose score is uncertain."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Accepted(NamedTuple):
    """A score event that the service acknowledged; the greater sequence is the newer one."""

    sequence: int
    score: int


@dataclass(slots=True)
class LastScores:
    """The acknowledged scores by player index; no two workers send for the same player.

    A player stays uncertain after one unknown outcome: that write may still land after a later
    one that was accepted.
    """

    accepted: dict[int, Accepted] = field(default_factory=dict)
    uncertain: set[int] = field(default_factory=set)

    def accept(self, player: int, event: Accepted) -> None:
        """Note an accepted event, unless a newer one of the player is known."""
        known = self.accepted.get(player)
        if known is None or known.sequence < event.sequence:
            self.accepted[player] = event

    def as_message(self) -> dict[str, Any]:
        """The scores in the plain types that a message between processes can hold."""
        return {
            "accepted": {player: list(event) for player, event in self.accepted.items()},
            "uncertain": list(self.uncertain),
        }

    def add_message(self, message: dict[str, Any]) -> None:
        """Take over the newer scores that a message holds."""
        for player, event in message["accepted"].items():
            self.accept(player, Accepted(*event))
        self.uncertain.update(message["uncertain"])
