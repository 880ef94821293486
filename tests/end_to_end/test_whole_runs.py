"""What comes before a run, and what can be done with it afterwards."""

import pytest
from make_command import Checkout


def test_the_table_prints_again_and_the_files_copy(checkout: Checkout) -> None:
    """`make report` prints the same table, `make export` copies the same files."""
    _, output = checkout.make("load-naive", "SCALE=0.0002", "DURATION=1s", "WARMUP=0s")
    table = [line for line in output.splitlines() if line.strip().startswith("submit")]

    _, again = checkout.make("report")
    code, _ = checkout.make("export", "OUT=copied")

    assert table
    assert table[-1] in again
    assert code == 0
    original = checkout.run_directory() / "operations.csv"
    assert original.read_text() == (checkout.root / "copied" / "operations.csv").read_text()


def test_a_ledger_is_added_by_name(checkout: Checkout) -> None:
    """The report then shows both parts of a write, and the audit compares the ledger too."""
    words = ("LEDGER=sqlite", "SCALE=0.0002", "DURATION=2s", "WARMUP=0s")
    _, output = checkout.make("load-partitioned", *words)

    assert "It runs with ledger sqlite, LEDGER_SYNC=full." in output
    assert "writes apart: ledger " in output
    assert checkout.read_json("audit.json")["not_comparable"] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("SCALE=2",), "SCALE=2:"),
        (("SCENARIO=none",), "SCENARIO=none has no file"),
        (("SET=top_k_share=0.5",), "top_k_share"),
        (("DURATION=0s",), "DURATION=0s:"),
        (("HOTBOARD_REDIS_BIN=nowhere",), "HOTBOARD_REDIS_BIN=nowhere is no program"),
        (("HOTBOARD_REDIS_BIN=/bin/sh",), "HOTBOARD_REDIS_BIN=/bin/sh is no Redis-compatible"),
        (("LEDGER_PATH=nowhere/ledger.db",), "LEDGER_PATH=nowhere/ledger.db lies in a folder"),
        (("LEDGER_PATH=Makefile",), "LEDGER_PATH=Makefile is a file of another kind"),
        (("TARGET=http://127.0.0.1:9",), "add ALLOW_WRITES=1"),
        (("TARGET=http://127.0.0.1:9", "ALLOW_WRITES=1"), "does not answer GET /v1/boards"),
        (("REDIS_URL=redis://127.0.0.1:9/0",), "REDIS_URL=redis://127.0.0.1:9/0 does not answer"),
    ],
)
def test_bad_input_is_told_in_a_sentence(
    checkout: Checkout, words: tuple[str, ...], sentence: str
) -> None:
    """A wrong variable ends the command at once, with its name, no traceback and no run left."""
    code, output = checkout.make("load-naive", *words)

    assert code == 2
    assert sentence in output
    assert "Traceback" not in output
    assert not list((checkout.root / "reports").glob("runs/*"))
    assert checkout.left_after() == []


def test_a_drill_says_what_it_cannot_do(checkout: Checkout) -> None:
    """Everything that stands in the way is told at once, before anything is started."""
    words = ("DRILL=redis-kill", "LEDGER=none", "DURATION=3s", "SCENARIO=peak")
    code, output = checkout.make("drill", *words)
    named, _ = checkout.make("drill", "DRILL=nothing")

    assert (code, named) == (2, 2)
    assert "leave out LEDGER=none" in output
    assert "DURATION=3s is too short" in output
    assert "leave out SCENARIO" in output
    assert checkout.left_after() == []
