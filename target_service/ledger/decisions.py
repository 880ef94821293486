"""The rules: what becomes of each event, given what the ledger already holds."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import TypeAlias, cast

from target_service.ledger.bulk import Value
from target_service.ledger.events import Batch, BatchOutcome
from target_service.ledger.guard import State

EVENT_COLUMNS = 8

# (player, board, score, sequence): what must be equal for a repeated id to be a duplicate.
Payload: TypeAlias = tuple[str, int, int, int | None]


@dataclass(slots=True)
class SeasonView:
    """The standings of one season as a group sees them: its own first, then the older ones."""

    tail: Mapping[str, State]
    folded: Mapping[str, State]
    fresh: dict[str, State] = field(default_factory=dict)


@dataclass(slots=True)
class Draft:
    """What a group is about to store, and the event ids known to it.

    A known id leads to a stored payload, or to the place of its row in the draft.
    """

    known: MutableMapping[str, Payload | int]
    last_change: int
    at_ms: int
    rows: list[Value] = field(default_factory=list)

    def payload(self, known: Payload | int) -> Payload:
        """The payload a known id was first given with."""
        if not isinstance(known, int):
            return known
        _, _, player, board, score, _, sequence, _ = self.rows[known : known + EVENT_COLUMNS]
        return cast("Payload", (player, board, score, given(cast("int", sequence))))


def given(stored: int) -> int | None:
    """The sequence an event came with, from how it is stored."""
    return stored if stored > 0 else None


def decide(batch: Batch, board: int, view: SeasonView, draft: Draft) -> BatchOutcome:
    """Decide every event of a batch in order, and add the rows of those that apply to the draft.

    The id comes first, so that a repeat is a duplicate however old it is; then the home
    partition, which no later event can change; then the sequence.
    """
    fresh, tail, folded = view.fresh, view.tail, view.folded
    known, at_ms, first, change = draft.known, draft.at_ms, draft.last_change + 1, draft.last_change
    duplicate: list[int] = []
    conflict: list[int] = []
    other_partition: list[int] = []
    stale: list[int] = []
    rows, add_row = draft.rows, draft.rows.extend
    columns = (batch.event_ids, batch.player_ids, batch.scores, batch.sequences or repeat(None))
    for index, (event_id, player, score, sequence) in enumerate(zip(*columns, strict=False)):
        earlier = known.get(event_id)
        if earlier is not None:
            same = draft.payload(earlier) == (player, board, score, sequence)
            (duplicate if same else conflict).append(index)
            continue
        last, old_score = 0, None
        state = fresh.get(player) or tail.get(player) or folded.get(player)
        if state is not None:
            home, old_score, last, _ = state
            if home != board:
                other_partition.append(index)
                continue
            if sequence is not None and sequence <= last:
                stale.append(index)
                continue
        change += 1
        stored = -last if sequence is None else sequence
        fresh[player] = (board, score, abs(stored), change)
        known[event_id] = len(rows)
        add_row((change, event_id, player, board, score, old_score, stored, at_ms))
    draft.last_change = change
    versions = range(first, change + 1)
    return BatchOutcome(versions, duplicate, conflict, other_partition, stale)
