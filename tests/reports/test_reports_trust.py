"""Reasons not to trust a measurement: lateness, and counts that do not add up."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judged_runs import SHORT, changed, judged
from made_runs import make_run

from reports.verdict.verdict import Status


def test_a_late_scheduler_is_not_trusted(tmp_path: Path) -> None:
    """More than one arrival in a hundred over 20 ms late makes the run invalid."""
    verdict = judged(make_run(tmp_path, replace(SHORT, lateness_us=9000)))

    assert verdict.status is Status.INVALID
    late, what_to_do, audited = verdict.reasons
    assert late.startswith("the generator's scheduler was more than 20 ms late for ")
    assert late.endswith(" ms)")
    assert what_to_do == (
        "the load generator, not the service, was too slow: close other work, or lower SCALE"
    )
    assert audited.startswith("the audit holds: ")


def test_what_to_do_about_a_slow_generator_is_said_once(tmp_path: Path) -> None:
    """After the last reason that says so; a whole audit is told of an invalid run too."""
    path = make_run(tmp_path, replace(SHORT, lateness_us=9000))

    def busy(measured: dict[str, Any]) -> None:
        measured["generators"][0]["cpu_ratio"] = 0.97

    cpu, late, what_to_do, audited = judged(changed(path, "measurements.json", busy)).reasons

    assert cpu.startswith("load generators used more than 85 % of a core")
    assert late.startswith("the generator's scheduler")
    assert what_to_do.startswith("the load generator, not the service, was too slow")
    assert audited.startswith("the audit holds: ")


@pytest.mark.parametrize(("late", "status"), [(1, Status.PASS), (2, Status.INVALID)])
def test_lateness_is_judged_as_a_count(late: int, status: Status, tmp_path: Path) -> None:
    """One late arrival of a hundred is the p99 at its limit; two are beyond it."""

    def change(content: dict[str, Any]) -> None:
        content["lateness_us"] = {"500": 100 - late, "30000": late}

    path = changed(make_run(tmp_path, SHORT), "measurements.json", change)

    assert status is judged(path).status


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"sent": 1199}, "submit does not add up: 1,200 offered, but 1,199 sent and 0 dropped"),
        ({"ok": 1199}, "submit does not add up: 1,200 sent, but 1,199 ok and 0 failed"),
        (
            {"offered": 1100, "sent": 1100, "ok": 1100},
            "submit offered 1,100 requests where the model has 1,200",
        ),
        (
            {"ok": 1190, "failed": 10},
            "submit does not add up: 1,190 ok, but 1,200 response times",
        ),
    ],
)
def test_counts_that_do_not_add_up_are_not_trusted(
    change: dict[str, int], reason: str, tmp_path: Path
) -> None:
    """A lost request shows, whichever counter lost it."""
    path = make_run(tmp_path, SHORT)
    changed(
        path, "measurements.json", lambda content: content["operations"]["submit"].update(change)
    )
    verdict = judged(path)

    assert verdict.status is Status.INVALID
    assert reason in verdict.reasons
