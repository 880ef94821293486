"""Many members at once, written straight into the tables."""

from collections.abc import Iterable
from pathlib import Path

from target_service.achievements import boards, tables
from target_service.ledger.bulk import BulkInsert, Value
from target_service.ledger.store import Store

_AT_ONCE = 20_000
_MEMBERS = BulkInsert(
    "INSERT INTO member_counters (member, tracking_code, organization, unique_visitors)", 4
)
_STANDINGS = BulkInsert("INSERT INTO achievement_standings (member, board, version)", 3)
CROSSING, STANDING = 50, 49


def name(index: int) -> str:
    """The id of a member."""
    return f"member-{index:07d}"


def make(path: Path, members: int, every: int, organizations: int = 100) -> Store:
    """A file in which one of `every` members has just reached a level, the rest just not.

    Members are dealt over organisations; everybody has a tracking code and no standing yet.
    """
    store = Store(path, "normal")
    store.prepare()
    tables.prepare(store)
    connection = store.connect()
    for start in range(0, members, _AT_ONCE):
        values: list[Value] = []
        standings: list[Value] = []
        for index in range(start, min(start + _AT_ONCE, members)):
            organization = f"org-{index % organizations:04d}"
            visitors = CROSSING if index % every == 0 else STANDING
            values += (name(index), f"code-{index}", organization, visitors)
            standings += (name(index), organization, 1)
        with store.write_transaction(connection):
            _MEMBERS.run(connection, values)
            _STANDINGS.run(connection, standings)
    with store.write_transaction(connection):
        boards.advance(connection, (f"org-{index:04d}" for index in range(organizations)))
    connection.close()
    return store


def visit(store: Store, indexes: Iterable[int], visitors: int) -> None:
    """Count visitors for some members."""
    connection = store.connect()
    with store.write_transaction(connection):
        connection.executemany(
            "UPDATE member_counters SET unique_visitors = unique_visitors + ? WHERE member = ?",
            ((visitors, name(index)) for index in indexes),
        )
    connection.close()


def standings(store: Store) -> list[tuple[object, ...]]:
    """Everything a recount writes, row by row."""
    connection = store.connect()
    rows: list[tuple[object, ...]] = []
    for query in (
        "SELECT * FROM achievement_standings ORDER BY member",
        "SELECT * FROM achievement_boards ORDER BY board",
        "SELECT * FROM achievement_unlocks ORDER BY number",
    ):
        rows += connection.execute(query).fetchall()
    connection.close()
    return rows


def unlocks(store: Store) -> list[str]:
    """Who has unlocked a level, once for each."""
    connection = store.connect()
    rows = connection.execute("SELECT member FROM achievement_unlocks ORDER BY number").fetchall()
    connection.close()
    return [member for (member,) in rows]
