"""Files that are not what they should be, and disks that refuse."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from ledger_children import Child, children
from ledger_opening import SOLO, opened, run

from target_service.ledger.errors import LedgerReadOnly, LedgerUnusable
from target_service.ledger.events import Event
from target_service.ledger.sqlite import SqliteLedger

NOBODY = 65_534


def made(path: Path) -> Path:
    """A ledger with one event in it."""

    async def scenario() -> None:
        async with opened(path) as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 500, 10))

    run(scenario())
    return path


def write_junk(path: Path) -> None:
    """A file that is no database."""
    path.write_bytes(b"player,score\nann,500\n" * 100)


def write_foreign(path: Path) -> None:
    """A database of something else."""
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()


def write_newer(path: Path) -> None:
    """A ledger of a schema version to come."""
    with sqlite3.connect(made(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()


def write_headless(path: Path) -> None:
    """A ledger whose first page was overwritten."""
    with made(path).open("r+b") as file:
        file.write(b"\0" * 1_000)


def write_torn(path: Path) -> None:
    """A ledger of which only the header page is left."""
    with made(path).open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 3_900)


def write_stateless(path: Path) -> None:
    """A ledger that has lost its state row."""
    with sqlite3.connect(made(path)) as connection:
        connection.execute("DELETE FROM state")
    connection.close()


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (write_junk, "damaged or not a ledger .* choose another file"),
        (write_foreign, "a database of something else, not a ledger; choose another file"),
        (write_newer, "schema version 2, this service reads version 1"),
        (write_headless, "damaged or not a ledger"),
        (write_torn, "damaged or not a ledger"),
        (write_stateless, "lost its state row"),
    ],
)
def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path, write: object, sentence: str) -> None:
    """The sentence names the file and the way out, and the file is left as it was."""
    path = tmp_path / "ledger.db"
    assert callable(write)
    write(path)
    content = path.read_bytes()

    with pytest.raises(LedgerUnusable, match=sentence) as refused:
        SqliteLedger(path)

    assert str(path) in str(refused.value)
    assert content == path.read_bytes()


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    """The ledger makes its file, not the place for it; nor one of a name too long."""
    for place in ("nowhere", "x" * 300):
        with pytest.raises(LedgerUnusable, match="is not a directory; make it first"):
            SqliteLedger(tmp_path / place / "ledger.db")


@pytest.mark.parametrize("name", [":memory:", "file:ledger.db", "file:ledger.db?mode=memory"])
def test_a_name_that_means_something_to_sqlite_is_a_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The events are in the file of that name, wherever SQLite would look for them."""
    monkeypatch.chdir(tmp_path)
    made(Path(name))

    with closing(sqlite3.connect(f"{(tmp_path / name).as_uri()}?mode=ro", uri=True)) as connection:
        assert [("e1",)] == connection.execute("SELECT event_id FROM events").fetchall()


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    """An empty file, as mktemp leaves it, is taken."""
    path = tmp_path / "ledger.db"
    path.touch()

    assert made(path).stat().st_size > 0


def test_a_closed_ledger_is_one_file_of_plain_tables(tmp_path: Path) -> None:
    """After closing, any SQLite reader finds every standing compacted, and no log beside it."""
    path = made(tmp_path / "ledger.db")
    with sqlite3.connect(path) as connection:
        players = connection.execute(
            "SELECT p.season, b.name, p.player, p.score, p.sequence, p.change"
            " FROM players p JOIN boards b ON b.id = p.board"
        ).fetchall()
        state = connection.execute("SELECT last_change, folded_to FROM state").fetchone()
    connection.close()

    assert [("s1", SOLO.name, "ann", 500, 10, 1)] == players
    assert (1, 1) == state
    assert not path.with_name("ledger.db-wal").exists()


def test_a_full_disk_refuses_writes_and_goes_on_reading(tmp_path: Path) -> None:
    """At a file-size limit writes fail with a sentence, reads go on, and room makes it well."""
    child = Child(tmp_path / "ledger.db", "fill", limit_bytes=600_000)
    with children(child):
        refused, recovered = child.answers()

    assert "LedgerUnwritable" == refused["error"]
    assert "disk" in refused["sentence"]
    assert refused["trouble"] == refused["sentence"]
    assert refused["acknowledged"] == refused["last_change"] > 100
    assert refused["players"] > 100
    assert recovered["applied"] > 0
    assert recovered["trouble"] is None

    async def scenario() -> int:
        async with opened(tmp_path / "ledger.db") as ledger:
            return (await ledger.facts()).last_change

    assert refused["last_change"] + recovered["applied"] == run(scenario())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def reader_of(path: Path) -> Child:
    """A process that may not write here: another user when we are root, else ourselves."""
    return Child(path, "forbidden", user=NOBODY if os.getuid() == 0 else None)


def forbid(folder: Path) -> None:
    """Take away the right to write."""
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)


def test_a_read_only_ledger_is_read_and_not_written(open_folder: Path) -> None:
    """Where nothing may be written, reads answer and writes are refused with a sentence."""
    path = made(open_folder / "ledger.db")
    forbid(open_folder)
    child = reader_of(path)
    with children(child):
        (answer,) = child.answers()

    assert (500, "LedgerReadOnly") == (answer["score"], answer["error"])
    assert "cannot be written" in answer["sentence"]


def test_a_read_only_ledger_in_use_is_read_too(open_folder: Path) -> None:
    """While others write, one that may not write sees what they have stored."""

    async def scenario() -> dict[str, object]:
        async with opened(open_folder / "ledger.db") as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 700, 10))
            forbid(open_folder)
            child = reader_of(open_folder / "ledger.db")
            with children(child):
                (answer,) = child.answers()
            return answer

    answer = run(scenario())

    assert (700, "LedgerReadOnly") == (answer["score"], answer["error"])


def test_a_disk_that_turns_read_only_is_survived(tmp_path: Path) -> None:
    """Writes are refused while the disk is read-only, reads go on, and later all is well."""

    async def scenario() -> tuple[int, str]:
        async with opened(tmp_path / "ledger.db", compaction_changes=1) as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 500, 10))
            ledger._writer.connection.execute("PRAGMA query_only = 1")
            with pytest.raises(LedgerReadOnly, match="cannot be written"):
                await ledger.submit(Event("e2", "ann", SOLO, 600, 11))
            read = (await ledger.standings("s1", ["ann"]))["ann"].score
            ledger._writer.connection.execute("PRAGMA query_only = 0")
            return read, (await ledger.submit(Event("e2", "ann", SOLO, 600, 11))).status.value

    assert (500, "applied") == run(scenario())
