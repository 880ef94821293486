"""Every player's latest standing, which decides whether an event applies."""

import sqlite3
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

from target_service.ledger.bulk import json_list

# (board, score, last sequence or 0, change number)
StoredStanding: TypeAlias = tuple[int, int, int, int]

_TAIL = (
    "SELECT b.season, e.player, e.board, e.score, abs(e.sequence), e.change"
    " FROM events e JOIN boards b ON b.id = e.board WHERE e.change > ? ORDER BY e.change"
)
# One row of JSON instead of many rows: each row SQLite hands to Python gives up the interpreter.
_COMPACTED = (
    "SELECT json_group_array(json_array(j.key, p.board, p.score, p.sequence, p.change))"
    " FROM json_each(?) j CROSS JOIN players p ON p.season = ? AND p.player = j.value"
)
_ROWS = msgspec.json.Decoder(list[tuple[int, int, int, int, int]])


class LatestStandings:
    """Standings changed since the last compaction, in memory; the others are read from `players`.

    Memory only ever follows what is committed. `catch_up`, inside a transaction, replays what
    this process has not seen: the whole tail of the log after a start, other processes' events
    later. So the file's log is the only thing the processes must agree on.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.folded_to = 0
        self._tails: dict[str, dict[str, StoredStanding]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._tails.values()))

    def catch_up(self, connection: sqlite3.Connection) -> None:
        """Bring memory up to the transaction's view of the file."""
        last, folded_to = connection.execute("SELECT last_change, folded_to FROM state").fetchone()
        if folded_to > self.folded_to:
            self._drop_compacted(folded_to)
        start = max(self.seen, folded_to)
        if last > start:
            for season, player, board, score, sequence, change in connection.execute(
                _TAIL, (start,)
            ):
                state = (board, score, sequence, change)
                self._tails.setdefault(season, {})[player] = state
        self.seen = last

    def absorb(self, season: str, states: Mapping[str, StoredStanding], last_change: int) -> None:
        """Take over what this process has just committed."""
        if states:
            self._tails.setdefault(season, {}).update(states)
        self.seen = last_change

    def tail(self, season: str) -> Mapping[str, StoredStanding]:
        """The season's standings that changed since the last compaction."""
        return self._tails.get(season, {})

    def compacted(
        self, connection: sqlite3.Connection, season: str, players: Iterable[str]
    ) -> dict[str, StoredStanding]:
        """Look up those of the players whose standing is not in the tail."""
        tail = self.tail(season)
        missing = [player for player in players if player not in tail]
        if not missing:
            return {}
        (text,) = connection.execute(_COMPACTED, (json_list(missing), season)).fetchone()
        return {
            missing[index]: (board, score, sequence, change)
            for index, board, score, sequence, change in _ROWS.decode(text)
        }

    def seasons(self) -> list[str]:
        """The seasons that have a tail."""
        return list(self._tails)

    def forget(self, season: str, players: Iterable[str]) -> None:
        """Drop standings that this process has just compacted as they are."""
        tail = self._tails[season]
        for player in players:
            del tail[player]
        if not tail:
            del self._tails[season]

    def _drop_compacted(self, folded_to: int) -> None:
        self.folded_to = folded_to
        kept = {
            season: {player: state for player, state in tail.items() if state[3] > folded_to}
            for season, tail in self._tails.items()
        }
        self._tails = {season: tail for season, tail in kept.items() if tail}
