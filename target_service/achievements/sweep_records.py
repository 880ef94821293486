"""What the ledger's file remembers of sweeps: each run, where the last one got to, each night."""

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

# What becomes of a night that is due and whose reconcile nobody has said to be complete yet.
WAITS = "waits"
_RUNS_KEPT = 400
_COLUMNS = "number, night, started_ms, ended_ms, took_ms, scanned, changed, unlocked, failed"
# By number: the clock may have been set back since an earlier one.
_LATEST_END = (
    "SELECT coalesce((SELECT ended_ms FROM achievement_sweeps WHERE ended_ms IS NOT NULL"
    " ORDER BY number DESC LIMIT 1), 0)"
)
_CLAIM = (
    "UPDATE achievement_sweeps SET counted = 1 WHERE counted = 0 AND ended_ms IS NOT NULL"  # noqa: S608  (own names)
    f" RETURNING {_COLUMNS}"
)


class SweepRow(NamedTuple):
    """One run: of a night, or (None) by hand; `ended_ms` is None while it runs or has died.

    `took_ms` is no difference of the other two: the clock may be set meanwhile.
    """

    number: int
    night: str | None
    started_ms: int
    ended_ms: int | None
    took_ms: int | None
    scanned: int
    changed: int
    unlocked: int
    failed: int

    @property
    def unchanged(self) -> int:
        """Members who stood where they should."""
        return self.scanned - self.changed - self.failed


@dataclass(slots=True)
class Tally:
    """What a run has done so far; `failed` counts members whose recount did."""

    scanned: int = 0
    changed: int = 0
    unlocked: int = 0
    failed: int = 0


class Night(NamedTuple):
    """When a night's reconcile was said to be complete, and what became of its sweep."""

    reconciled_ms: int | None
    outcome: str | None

    @property
    def is_decided(self) -> bool:
        """Whether it is settled what becomes of it; a night that waits for its word is not."""
        return self.outcome not in (None, WAITS)


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
        "UPDATE achievement_sweeps SET scanned = ?, changed = ?, unlocked = ?, failed = ?"
        " WHERE number = ?",
        (tally.scanned, tally.changed, tally.unlocked, tally.failed, number),
    )
    connection.execute("UPDATE achievement_state SET swept_to = ?", (swept_to,))


def end(connection: sqlite3.Connection, number: int, now_ms: int, took_ms: int) -> None:
    """Close the record of a run that came to its end."""
    connection.execute(
        "UPDATE achievement_sweeps SET ended_ms = ?, took_ms = ? WHERE number = ?",
        (now_ms, took_ms, number),
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
    """Note what becomes of a night's sweep, once it waits and once for good; tell if it is news."""
    decided = connection.execute(
        "INSERT INTO achievement_nights (night, outcome, decided_ms) VALUES (?, ?, ?)"
        " ON CONFLICT (night) DO UPDATE SET outcome = excluded.outcome, decided_ms = ?3"
        " WHERE outcome IS NULL OR outcome = ?4 AND excluded.outcome <> ?4",
        (name, outcome, now_ms, WAITS),
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
