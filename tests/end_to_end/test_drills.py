"""Drills for real: the stack is broken under load, and nothing accepted is lost."""

import json

from make_command import Checkout

SHORT = ("DURATION=6s", "WARMUP=0s", "PLAYERS=600")


def test_a_killed_redis_costs_no_accepted_event(checkout: Checkout) -> None:
    """Redis comes back empty; every event and every player is proved, and reads were told of it."""
    code, output = checkout.make("drill", "DRILL=redis-kill", "MODE=partitioned", *SHORT)
    folder = checkout.run_directory()
    drill = json.loads((folder / "drill.json").read_text())
    audit = json.loads((folder / "audit.json").read_text())

    assert "lost 0, applied twice 0, gone backwards 0; recovery time" in output
    assert [one for one in audit["invariants"] if not one["held"]] == []
    assert [one["name"] for one in audit["not_comparable"]] == ["board commands"]
    assert audit["incidents"] == []
    assert drill["events"]["accepted"] > 600
    assert drill["reads_unavailable_seconds"] > 0
    assert drill["reads_recovering_seconds"] > 0
    assert drill["recovery_seconds"] is not None
    assert (code == 0) == (checkout.run_json()["verdict"]["status"] == "pass"), output
    assert checkout.left_after() == []


def test_a_killed_service_takes_its_counters_along_and_no_event(checkout: Checkout) -> None:
    """What its counters would have told is named as not comparable; the ledger proves the rest."""
    code, output = checkout.make("drill", "DRILL=service-kill", *SHORT)
    folder = checkout.run_directory()
    audit = json.loads((folder / "audit.json").read_text())

    assert "lost 0, applied twice 0, gone backwards 0; recovery time" in output
    assert [one for one in audit["invariants"] if not one["held"]] == []
    assert [one["name"] for one in audit["not_comparable"]] == ["accepted events", "board commands"]
    assert audit["incidents"] == []
    assert "keys: not known, " in output
    assert {row["kind"] for row in checkout.table("failures.csv")} <= {
        "refused",
        "reset",
        "http_5xx",
    }
    assert (code == 0) == (checkout.run_json()["verdict"]["status"] == "pass"), output
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
