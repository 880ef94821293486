"""What the ledger's file remembers of sweeps: each run, where the last one got to, each night."""

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

_RUNS_KEPT = 400
_COLUMNS = "number, night, started_ms, ended_ms, scanned, changed, unlocked"
_LATEST_END = "SELECT coalesce(max(ended_ms), 0) FROM achievement_sweeps"
_CLAIM = (
    "UPDATE achievement_sweeps SET counted = 1 WHERE counted = 0 AND ended_ms IS NOT NULL"  # noqa: S608  (own names)
    f" RETURNING {_COLUMNS}"
)


class SweepRow(NamedTuple):
    """One run: of a night, or (None) by hand; `ended_ms` is None while it runs or has died."""

    number: int
    night: str | None
    started_ms: int
    ended_ms: int | None
    scanned: int
    changed: int
    unlocked: int


@dataclass(slots=True)
class Tally:
    """What a run has done so far."""

    scanned: int = 0
    changed: int = 0
    unlocked: int = 0


class Night(NamedTuple):
    """When a night's reconcile was said to be complete, and what became of its sweep."""

    reconciled_ms: int | None
    outcome: str | None


class Ended(NamedTuple):
    """When a sweep last came to its end, and whether one has that no counter knows of."""

    last_ms: int
    is_uncounted: bool


def begin(connection: sqlite3.Connection, night: str | None, now_ms: int) -> tuple[int, str]:
    """Open the record of a run; return its number, and the member the last one had got to."""
    (number,) = connection.execute(
        "INSERT INTO achievement_sweeps (night, started_ms) VALUES (?, ?) RETURNING number",
        (night, now_ms),
    ).fetchone()
    connection.execute("DELETE FROM achievement_sweeps WHERE number <= ?", (number - _RUNS_KEPT,))
    (swept_to,) = connection.execute("SELECT swept_to FROM achievement_state").fetchone()
    return int(number), str(swept_to)


def note(connection: sqlite3.Connection, number: int, tally: Tally, swept_to: str) -> None:
    """Keep how far the run is."""
    connection.execute(
        "UPDATE achievement_sweeps SET scanned = ?, changed = ?, unlocked = ? WHERE number = ?",
        (tally.scanned, tally.changed, tally.unlocked, number),
    )
    connection.execute("UPDATE achievement_state SET swept_to = ?", (swept_to,))


def end(connection: sqlite3.Connection, number: int, now_ms: int) -> None:
    """Close the record of a run that came to its end."""
    connection.execute(
        "UPDATE achievement_sweeps SET ended_ms = ? WHERE number = ?", (now_ms, number)
    )


def row(connection: sqlite3.Connection, number: int) -> SweepRow | None:
    """The record of a run."""
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM achievement_sweeps WHERE number = ?",  # noqa: S608  (own names)
        (number,),
    ).fetchone()
    return None if found is None else SweepRow(*found)


def night(connection: sqlite3.Connection, name: str) -> Night:
    """What is known of a night."""
    found = connection.execute(
        "SELECT reconciled_ms, outcome FROM achievement_nights WHERE night = ?", (name,)
    ).fetchone()
    return Night(None, None) if found is None else Night(*found)


def decide(connection: sqlite3.Connection, name: str, outcome: str, now_ms: int) -> bool:
    """Note what became of a night's sweep; tell whether nobody had before."""
    decided = connection.execute(
        "INSERT INTO achievement_nights (night, outcome, decided_ms) VALUES (?, ?, ?)"
        " ON CONFLICT (night) DO UPDATE SET outcome = excluded.outcome, decided_ms = ?3"
        " WHERE outcome IS NULL",
        (name, outcome, now_ms),
    )
    return bool(decided.rowcount)


def ended(connection: sqlite3.Connection) -> Ended:
    """When a sweep last came to its end, and whether there is one to claim."""
    (last_ms,) = connection.execute(_LATEST_END).fetchone()
    uncounted = connection.execute(
        "SELECT 1 FROM achievement_sweeps WHERE counted = 0 AND ended_ms IS NOT NULL LIMIT 1"
    ).fetchone()
    return Ended(last_ms, uncounted is not None)


def claim(connection: sqlite3.Connection, _at_ms: int) -> list[SweepRow]:
    """Take the runs that ended since somebody last did, to count them: nobody else gets them."""
    return [SweepRow(*found) for found in connection.execute(_CLAIM)]
