"""What a ledger must do, as plainly as it can be written."""

from dataclasses import dataclass, field

from target_service.ledger.events import Batch, BatchOutcome, Change, Event, Standing


@dataclass
class LedgerTruth:
    """One dictionary per question; events are applied one by one."""

    last_change: int = 0
    stored: dict[str, Event] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    stored_at_ms: dict[int, int] = field(default_factory=dict)
    standings: dict[tuple[str, str], Standing] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    unprojected: set[int] = field(default_factory=set)
    trimmed_to: int = 0

    def submit(self, event: Event, at_ms: int) -> str:
        """Apply one event and name what became of it."""
        earlier = self.stored.get(event.event_id)
        if earlier is not None:
            return "duplicate" if earlier == event else "conflict"
        key = (event.board.season, event.player_id)
        standing = self.standings.get(key)
        if standing and standing.board != event.board.name:
            return "other_partition"
        last = standing.sequence if standing else None
        if event.sequence is not None and last is not None and event.sequence <= last:
            return "stale"
        self._apply(event, standing, at_ms)
        return "applied"

    def submit_batch(self, batch: Batch, at_ms: int) -> BatchOutcome:
        """Apply a batch event by event."""
        first = self.last_change + 1
        found: dict[str, list[int]] = {}
        for index, event in enumerate(events_of(batch)):
            found.setdefault(self.submit(event, at_ms), []).append(index)
        found.pop("applied", None)
        return BatchOutcome(range(first, self.last_change + 1), **found)

    def expire(self, before_ms: int) -> None:
        """Forget the oldest events, up to the first that is too young or not projected."""
        for number in range(self.trimmed_to + 1, self.last_change + 1):
            if self.stored_at_ms[number] >= before_ms or number in self.unprojected:
                return
            self.trimmed_to = number
            event_id = next(key for key, value in self.numbers.items() if value == number)
            del self.stored[event_id], self.numbers[event_id]

    def _apply(self, event: Event, standing: Standing | None, at_ms: int) -> None:
        self.last_change += 1
        number, season, board = self.last_change, event.board.season, event.board.name
        sequence = event.sequence or (standing.sequence if standing else None)
        self.stored[event.event_id] = event
        self.numbers[event.event_id] = number
        self.stored_at_ms[number] = at_ms
        self.unprojected.add(number)
        self.standings[season, event.player_id] = Standing(
            season, board, event.player_id, event.score, sequence, number
        )
        old_score = standing.score if standing else None
        self.changes.append(Change(number, season, board, event.player_id, old_score, event.score))


def events_of(batch: Batch) -> list[Event]:
    """The events of a batch, one by one."""
    sequences = batch.sequences or [None] * len(batch)
    columns = zip(batch.event_ids, batch.player_ids, batch.scores, sequences, strict=True)
    return [
        Event(event_id, player, batch.board, score, sequence)
        for event_id, player, score, sequence in columns
    ]
