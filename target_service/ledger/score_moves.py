"""What a follower of scores asks in one question, answered as of one change number."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from target_service.ledger.bulk import json_list
from target_service.ledger.errors import ChangesTrimmed
from target_service.ledger.guard import Guard
from target_service.ledger.reads import standings
from target_service.ledger.standings import Standing

# One row of JSON instead of many rows: each row SQLite hands to Python gives up the interpreter.
_MOVES = (
    "SELECT json_group_array(score),"
    " json_group_array(old_score) FILTER (WHERE old_score IS NOT NULL) FROM events"
    " WHERE change > ? AND change <= ?"
    " AND board IN (SELECT b.id FROM boards b JOIN json_each(?) j"
    " ON b.name = j.value WHERE b.season = ?)"
)
_STATE = "SELECT last_change, trimmed_to FROM state"
_SCORES = msgspec.json.Decoder(list[int])


@dataclass(frozen=True, slots=True)
class ScoresAsked:
    """The boards of a season, the last change already known, and players to look up."""

    season: str
    boards: Sequence[str]
    after: int
    limit: int
    player_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class ScoreMoves:
    """The scores that players got and gave up in the changes up to `to`.

    `last_change` is the newest one there is, and the standings are as of that one.
    """

    to: int
    last_change: int
    new_scores: Sequence[int]
    old_scores: Sequence[int]
    standings: dict[str, Standing]


def score_moves(connection: sqlite3.Connection, guard: Guard, asked: ScoresAsked) -> ScoreMoves:
    """Answer; raises ChangesTrimmed when some of the changes are gone."""
    last_change, trimmed_to = connection.execute(_STATE).fetchone()
    if asked.after < trimmed_to:
        raise ChangesTrimmed(
            f"Changes up to {trimmed_to} are gone, {asked.after} was asked for; count again."
        )
    to = min(last_change, asked.after + asked.limit)
    got, given_up = connection.execute(
        _MOVES, (asked.after, to, json_list(asked.boards), asked.season)
    ).fetchone()
    latest = standings(connection, guard, asked.season, asked.player_ids)
    return ScoreMoves(to, last_change, _SCORES.decode(got), _SCORES.decode(given_up), latest)
