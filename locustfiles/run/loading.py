"""Loads the players before the start, board by board, in batches."""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

import msgspec

from locustfiles.errors import UNREADABLE, RunCutShort
from locustfiles.http.attempt import Attempt, post_json
from locustfiles.http.connection import Connection
from locustfiles.operations.places import Place, Places
from locustfiles.recording.last_scores import Accepted, LastScores
from locustfiles.run.inputs import RunInputs

_BATCH_SECONDS: Final = 30.0
# What an event takes in a body beside its two ids: score, sequence, quotes and commas.
_EVENT_BYTES: Final = 60


@dataclass
class Loading:
    """How many players are loaded so far."""

    players: int
    events: int = 0
    batches: int = 0
    ok: int = 0
    unknown: int = 0
    seconds: float = 0.0

    def as_document(self) -> dict[str, Any]:
        """The content of `loading` in measurements.json."""
        return asdict(self) | {"seconds": round(self.seconds, 3)}


class _Counts(msgspec.Struct):
    applied: int
    stale: int = 0


class _Answer(msgspec.Struct):
    counts: _Counts


class Loader:
    """Sends every player's first score, board by board, one batch at a time."""

    def __init__(self, inputs: RunInputs, state: Loading, scores: LastScores) -> None:
        self._plan = plan = inputs.plan
        self._dataset = inputs.dataset()
        self._places = Places(plan)
        self._dialer = inputs.dialer
        self._scores = scores
        self._state = state
        limits = inputs.description.boards.limits
        largest = (len(plan.run_id) + len(plan.player_prefix) + 30) + _EVENT_BYTES
        self._batch_events = max(min(limits.batch_events, limits.body_bytes // largest), 1)

    def run(self, before_batch: Callable[[], None]) -> None:
        """Load all players; the callback may raise to stop in between.

        Raises:
            RunCutShort: a batch was not applied as a whole; it is never sent again.
        """
        connection = Connection(self._dialer)
        begun = time.perf_counter()
        try:
            for place, players in self._batches():
                before_batch()
                outcome = self._send(connection, place, players)
                self._record_outcome(outcome, place, players)
        finally:
            self._state.seconds = time.perf_counter() - begun
            connection.close()
        before_batch()

    def _batches(self) -> Iterator[tuple[Place, range]]:
        partitions = len(self._places.all)
        for number, place in enumerate(self._places.all):
            members = range(number, self._plan.players, partitions)
            for start in range(0, len(members), self._batch_events):
                yield place, members[start : start + self._batch_events]

    def _send(self, connection: Connection, place: Place, players: range) -> Attempt:
        plan, scores = self._plan, self._dataset.scores
        body = msgspec.json.encode(
            {
                "event_id": [f"{plan.run_id}-p{player}" for player in players],
                "player_id": [self._places.player_id(player) for player in players],
                "score": [scores[player] for player in players],
                "sequence": [plan.sequence_base] * len(players),
            }
        )
        path = f"{place.path}/scores"
        return post_json(connection, self._dialer.address, path, body, _BATCH_SECONDS)

    def _record_outcome(self, outcome: Attempt, place: Place, players: range) -> None:
        self._state.batches += 1
        self._state.events += len(players)
        applied = _applied(outcome, len(players))
        self._state.ok += applied
        if applied == len(players):
            for one in players:
                event = Accepted(self._plan.sequence_base, self._dataset.scores[one])
                self._scores.accept(one, event)
            return
        self._scores.uncertain.update(players)
        if outcome.was_written:
            self._state.unknown += len(players) - applied
        raise RunCutShort("failed-to-load", _failure(outcome, place, len(players)))


def _applied(outcome: Attempt, events: int) -> int:
    applied = _counts(outcome).applied
    return applied if 0 <= applied <= events else 0


def _counts(outcome: Attempt) -> _Counts:
    """The counts in the answer to a batch; zero when there is none."""
    if outcome.failure is not None or outcome.status not in {200, 202}:
        return _Counts(0)
    try:
        return msgspec.json.decode(outcome.body, type=_Answer).counts
    except UNREADABLE:
        return _Counts(0)


def _failure(outcome: Attempt, place: Place, events: int) -> str:
    failed = f"Loading {events:,} players of {place.partition} failed"
    if _counts(outcome).stale:
        # Sequences begin with the time at which a run does.
        return (
            f"{failed}: the ledger has later events of these players, of a run that began at a "
            "later time by its clock; set the clock right, or load a service with a new ledger."
        )
    return f"{failed}: {outcome.in_words()}."
