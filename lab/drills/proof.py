"""Event by event: what clients were told was accepted, against what the ledger stored."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.audit import Invariant
from lab.drills.request_rows import Request
from lab.evidence import ACCEPTED
from lab.ledger_file import StoredEvent


@dataclass(frozen=True)
class Proof:
    """Events the clients were told of, and what of that does not hold; all of it must be 0."""

    accepted: int
    lost: int
    applied_twice: int
    gone_backwards: int

    def invariants(self) -> list[Invariant]:
        """The proof as lines of the audit."""
        return [
            Invariant(
                "each event: told as accepted = stored in the ledger",
                self.accepted,
                "=",
                self.accepted - self.lost,
            ),
            Invariant("each event: told as accepted twice or more = 0", self.applied_twice, "=", 0),
            Invariant(
                "each player: events stored after a later one = 0", self.gone_backwards, "=", 0
            ),
        ]


def told_events(run_id: str, loaded: int, requests: Iterable[Request]) -> Counter[str]:
    """How often clients were told that an event was accepted, the loaded players' included."""
    told = Counter(f"{run_id}-p{player}" for player in range(loaded))
    told.update(
        f"{run_id}-{request.number}"
        for request in requests
        if request.operation == "submit" and request.outcome in ACCEPTED
    )
    return told


def prove(told: Counter[str], stored: Sequence[StoredEvent]) -> Proof:
    """Compare both sides; the ledger's events come in the order in which they were stored."""
    held = {event.event_id for event in stored}
    return Proof(
        accepted=len(told),
        lost=len(told.keys() - held),
        applied_twice=sum(times > 1 for times in told.values()),
        gone_backwards=_gone_backwards(stored),
    )


def _gone_backwards(stored: Iterable[StoredEvent]) -> int:
    highest: dict[tuple[str, str], int] = {}
    count = 0
    for event in stored:
        player, sequence = (event.season, event.player), abs(event.sequence)
        # An event without a sequence repeats the last one's: arrival order decides.
        count += event.sequence > 0 and sequence <= highest.get(player, 0)
        highest[player] = max(sequence, highest.get(player, 0))
    return count
