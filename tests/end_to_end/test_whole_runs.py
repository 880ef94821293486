"""`make load-naive` and `make load-partitioned`, whole and short."""

import json

import pytest
from make_command import Checkout

SECONDS = 3
SHORT = (f"DURATION={SECONDS}s", "WARMUP=1s", "PLAYERS=600")
# Chi-square of 12 level keys, above which chance leads once in 2,000 times.
CHANCE = 33
RATES = {"submit": 240, "top": 25, "around": 75}


def _check_offered(checkout: Checkout) -> None:
    rows = {row["operation"]: row for row in checkout.table("operations.csv")}
    offered = {operation: int(rows[operation]["offered"]) for operation in RATES}

    assert {operation: rate * SECONDS for operation, rate in RATES.items()} == offered
    for operation in RATES:
        row = {name: int(rows[operation][name]) for name in ("sent", "dropped", "ok", "failed")}
        assert offered[operation] == row["sent"] + row["dropped"]
        assert row["sent"] == row["ok"] + row["failed"]


def _submits_on_keys(checkout: Checkout) -> int:
    """How many submits the service had counted on its keys when the measured phase ended."""
    measured = json.loads((checkout.run_directory() / "measurements.json").read_text())
    before = sum(one["write"]["hits"] for one in measured["keys"]["start"]["keys"].values())
    return int(_write_hits(checkout) + before - measured["loading"]["batches"])


def _write_hits(checkout: Checkout) -> int:
    """How many writes the report is about: those between the readings at the phase's edges."""
    return sum(int(row["hits"]) for row in checkout.table("keys.csv") if row["op"] == "write")


def _submits_answered(checkout: Checkout) -> int:
    """How many were answered within the measured phase, whenever that was."""
    return sum(
        int(row["completed"])
        for row in checkout.table("timeline.csv")
        if row["operation"] == "submit" and int(row["second"]) < SECONDS
    )


def _check_audit(checkout: Checkout, *left_out: str) -> None:
    """All that was compared holds, and nothing else was left out."""
    audit = json.loads((checkout.run_directory() / "audit.json").read_text())

    assert [one for one in audit["invariants"] if not one["held"]] == []
    assert [one["name"] for one in audit["not_comparable"]] == list(left_out)


def test_naive_puts_every_write_on_one_key(checkout: Checkout) -> None:
    """A naive run offers exactly the modelled requests and hits a single key with all writes."""
    code, output = checkout.make("load-naive", *SHORT)

    facts = checkout.run_json()
    verdict = facts["verdict"]["status"]
    assert (code == 0) == (verdict == "pass"), output
    assert facts["skew"]["write"]["hottest_share"] == 1.0
    assert facts["skew"]["write"]["keys_touched"] == 1
    assert facts["skew"]["write"]["hottest_key"] == "lb:global:all:s1"
    _check_offered(checkout)
    _check_audit(checkout)
    assert checkout.left_after() == []


def test_partitioned_spreads_the_writes(checkout: Checkout) -> None:
    """With two generator workers and two service workers everything is counted once."""
    # a write that Redis is too slow for is answered before it is on a key
    checkout.environment["HOTBOARD_REDIS_TIMEOUT_SECONDS"] = "30"
    words = (*SHORT, "WARMUP=0s", "WORKERS=2", "SERVICE_WORKERS=2")
    code, output = checkout.make("load-partitioned", *words)

    facts = checkout.run_json()
    assert (code == 0) == (facts["verdict"]["status"] == "pass"), output
    assert facts["skew"]["write"]["keys_touched"] == 12
    assert facts["skew"]["write"]["effective_keys"] > 12 / (1 + CHANCE / _write_hits(checkout))
    _check_offered(checkout)
    _check_audit(checkout)
    offered = RATES["submit"] * SECONDS
    assert _submits_answered(checkout) <= _submits_on_keys(checkout) <= offered
    assert 0 < _submits_answered(checkout)
    assert checkout.left_after() == []


def test_an_event_opens_and_closes_while_it_is_polled(checkout: Checkout) -> None:
    """Old and new builds are told its end, and the lake agrees with it to the unit."""
    words = ("DURATION=2s", "WARMUP=0s", "PLAYERS=300", "SERVICE_WORKERS=2")
    code, output = checkout.make("load-odometer", *words)

    facts = checkout.run_json()
    assert (code == 0) == (facts["verdict"]["status"] == "pass"), output
    _check_audit(checkout, "scores of the leaderboard")
    told = json.loads((checkout.run_directory() / "measurements.json").read_text())["scenario"]
    event = told["community_event"]
    assert ({"old": 1, "new": 2}, 300) == (event["versions"], event["joined"])
    assert event["event"]["final"]["total"] > 0
    rows = {row["source"]: row["count"] for row in checkout.table("odometer.csv")}
    assert {"event_v1": "600", "event_v2": "600", "polls": "1200"}.items() <= rows.items()
    assert "make load-odometer" in facts["command"]
    assert f"ended with {event['event']['final']['total']:,} miles" in output
    assert checkout.left_after() == []


def test_members_are_swept_while_they_are_counted(checkout: Checkout) -> None:
    """The sweep lies in the middle, and afterwards every standing, board and frame is right."""
    words = ("DURATION=2s", "WARMUP=0s", "PLAYERS=300", "SERVICE_WORKERS=2")
    code, output = checkout.make("load-achievements", *words)

    facts = checkout.run_json()
    assert (code == 0) == (facts["verdict"]["status"] == "pass"), output
    _check_audit(checkout, "scores of the leaderboard")
    told = json.loads((checkout.run_directory() / "measurements.json").read_text())["scenario"]
    sweep = told["achievements"]["sweep"]
    assert (300, 300) == (told["achievements"]["members"], sweep["scanned"])
    assert 1 <= sweep["from_second"] <= sweep["to_second"]
    assert ["before", "during", "after"] == [one["phase"] for one in checkout.table("sweep.csv")]
    assert "sweep\n  · scanned 300 of 300 members" in output
    assert checkout.left_after() == []


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
