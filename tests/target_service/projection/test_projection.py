"""Boards that an earlier service left: of another ledger, another mode, or none."""

from pathlib import Path

from durable_service import durable_service, entries, eventually
from valkey_process import ValkeyProcess


def test_another_ledger_does_not_inherit_the_boards(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """Scores that this ledger does not know are no part of its ranking."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with durable_service("naive", own_valkey, tmp_path / "first") as first:
        first.submit("stranger", 1)
    with durable_service("naive", own_valkey, tmp_path / "second") as second:
        second.submit("friend", 2)

        assert eventually(second.is_level)
        assert entries(second.top()) == {"friend": 2}


def test_scores_written_without_the_ledger_do_not_stay(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """A service with LEDGER=none in between leaves boards that are made again."""
    with durable_service("naive", own_valkey, tmp_path) as durable:
        durable.submit("kept", 1)
    with durable_service("naive", own_valkey, tmp_path, HOTBOARD_LEDGER="none") as without:
        assert without.submit("kept", 9).status_code == 200
        assert without.submit("stranger", 9).status_code == 200
    with durable_service("naive", own_valkey, tmp_path) as durable:
        assert eventually(lambda: durable.ranking() == {durable.key(): {"kept": 1}})
        assert eventually(durable.is_level)


def test_another_mode_serves_the_same_truth(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """There and back again: no mode misses what was written in the other."""
    for number, mode in enumerate(("naive", "partitioned", "naive")):
        with durable_service(mode, own_valkey, tmp_path) as durable:
            durable.submit(f"p{number}", number, event_id=f"e{number}")

            assert eventually(durable.is_level)
            assert len(entries(durable.top())) == number + 1
