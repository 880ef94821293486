"""Reading the ledger's file, and comparing it with Redis entry by entry."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.audit.evidence import BOARD_COMMANDS, Counters
from lab.audit.invariants import audit
from lab.audit.ledger_file import AcknowledgedSequence, Comparison, Kept, LedgerEvidence, LedgerFile
from lab.errors import PartFailed
from lab.stack.redis import connect, embedded_redis, find_server
from lab.stack.stack import Session

_TABLES = """
CREATE TABLE state (last_change INTEGER);
CREATE TABLE unprojected (first INTEGER, last INTEGER);
CREATE TABLE standings (season TEXT, board TEXT, player TEXT, score INTEGER,
    sequence INTEGER);
INSERT INTO state VALUES (7);
INSERT INTO unprojected VALUES (2, 4);
INSERT INTO standings VALUES
    ('s1', 'lb:eu:solo:s1', 'ann', 5, 11),
    ('s1', 'lb:eu:solo:s1', 'bob', 9007199254740991, 12),
    ('s1', 'lb:eu:duo:s1', 'cid', 7, 13);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with what the audit reads of a ledger."""
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.executescript(_TABLES)
    connection.close()
    return tmp_path / "ledger.db"


@pytest.fixture
def server_url(tmp_path: Path, session: Session) -> Iterator[str]:
    """The address of a server without keys."""
    part, url = embedded_redis("The Redis server", find_server(None), tmp_path, session)
    part.begin()
    yield url
    part.end()


@pytest.mark.parametrize(
    ("mode", "boards", "equal", "entries"),
    [
        ("partitioned", {"lb:eu:solo:s1": {"ann": 5, "bob": 2**53 - 1}}, 2, 3),
        ("partitioned", {"lb:eu:solo:s1": {"ann": 6, "eve": 1}, "lb:eu:duo:s1": {"cid": 7}}, 1, 4),
        ("naive", {"lb:global:all:s1": {"ann": 5, "bob": 2**53 - 1, "cid": 7}}, 3, 3),
    ],
)
def test_entries_are_compared_one_by_one(
    path: Path,
    server_url: str,
    mode: str,
    boards: dict[str, dict[str, int]],
    equal: int,
    entries: int,
) -> None:
    """A missing entry, another score and an entry too many each count against it."""
    with connect(server_url) as client:
        for key, scores in boards.items():
            client.zadd(key, scores)

    assert LedgerFile(path, mode).compare(server_url) == Comparison(equal, entries)


@pytest.mark.parametrize(
    ("caption", "told", "players"),
    [
        ("the very event", AcknowledgedSequence("s1", "ann", 11), 1),
        ("a later one", AcknowledgedSequence("s1", "bob", 11), 1),
        ("an earlier one only", AcknowledgedSequence("s1", "cid", 14), 0),
        ("nothing in this season", AcknowledgedSequence("s2", "ann", 1), 0),
        ("nobody", AcknowledgedSequence("s1", "eve", 1), 0),
    ],
)
def test_a_player_is_kept_when_nothing_newer_was_promised(
    path: Path, caption: str, told: AcknowledgedSequence, players: int
) -> None:
    """The ledger must hold the highest accepted sequence, or a later one."""
    assert LedgerFile(path, "naive").count_kept([told]) == Kept(players, 1), caption


def test_rows_are_counted_also_before_there_is_a_file(path: Path, tmp_path: Path) -> None:
    """Whatever the service will make, nothing was stored in it yet."""
    assert LedgerFile(tmp_path / "none.db", "naive").rows() == 0
    assert LedgerFile(path, "naive").rows() == 7


def test_one_players_score_is_read(path: Path) -> None:
    """A player without any event has none."""
    assert LedgerFile(path, "partitioned").score("cid") == 7
    assert LedgerFile(path, "partitioned").score("nobody") is None


def test_a_file_that_is_no_ledger_is_told(tmp_path: Path) -> None:
    """The audit then says why it cannot compare."""
    (tmp_path / "other.db").write_text("no database")

    with pytest.raises(PartFailed, match="cannot be read"):
        LedgerFile(tmp_path / "other.db", "naive").rows()


@pytest.mark.parametrize(
    ("rows", "kept", "unprojected", "equal", "held"),
    [
        (100, 40, 0, 50, [True, True, True, True, True]),
        (99, 39, 0, 50, [False, True, False, True, True]),
        (103, 40, 1, 50, [True, True, True, False, True]),
        (104, 40, 0, 49, [True, False, True, True, False]),
    ],
)
def test_the_ledger_is_held_to_what_was_told(
    rows: int, kept: int, unprojected: int, equal: int, held: list[bool]
) -> None:
    """With 100 told and 3 unknown, 100 to 103 rows were added, and Redis has every entry."""
    nothing = dict.fromkeys(BOARD_COMMANDS, 0)
    figures = {"offered": 60, "sent": 60, "dropped": 0, "ok": 60, "failed": 0}
    whole = {**figures, "unknown": 3, "statuses": {"applied": 50, "durable-only": 10, "stale": 4}}
    measurements = {
        "operations": {"submit": {**figures, "all": whole}},
        "loading": {"ok": 40, "unknown": 0},
    }
    before, after = (
        Counters(frozenset(), "r", count, nothing, nothing, nothing, ledger_rows=count)
        for count in (7, 7 + rows)
    )

    evidence = LedgerEvidence(unprojected, Comparison(equal, 50), Kept(kept, 40))
    report = audit(before, after, measurements, [], evidence)

    assert held == [one["held"] for one in report["invariants"][:5]]
    assert report["not_comparable"] == []
