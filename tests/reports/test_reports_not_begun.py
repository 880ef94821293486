"""A run that was stopped before its measured phase: nothing was measured, which is not nought."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judged_runs import SHORT, changed
from made_runs import make_run

from reports.derived import Derived, derive
from reports.page.run_page import run_page
from reports.rundir.reading import read_run
from reports.rundir.scenario_facts import Drill, Events
from reports.sentences import drill_sentences
from reports.terminal import run_text

STOPPED = replace(SHORT, ended="interrupted", cut_at=0, end_reason="stopped by SIGTERM")


@pytest.fixture
def stopped(tmp_path: Path) -> Derived:
    """A run stopped while its players were loaded, before any worker was begun."""
    path = make_run(tmp_path, STOPPED)

    def not_begun(measured: dict[str, Any]) -> None:
        measured |= {"generators": [], "lateness_us": {}}
        measured["keys"] = {"reason": "the measured phase did not begin"}

    return derive(read_run(changed(path, "measurements.json", not_begun)))


def test_its_counts_are_empty(stopped: Derived) -> None:
    """What the model would have asked for is known, what came of it is not."""
    for row in stopped.tables["operations.csv"].records():
        known = {name for name, cell in row.items() if cell is not None}

        assert known == {"operation", "model_per_second", "model_share"}
    assert [] == stopped.tables["timeline.csv"].records()
    assert [] == stopped.tables["failures.csv"].records()


def test_its_reasons_claim_nothing_that_was_not_looked_at(stopped: Derived) -> None:
    """Neither of requests nor of workers; the checks say so too."""
    verdict = stopped.verdict
    found = {check.name: check.found for check in verdict.checks}

    assert verdict.reasons[0] == (
        "the run was interrupted before the measured phase began: stopped by SIGTERM"
    )
    assert not any("sent" in reason or "reported" in reason for reason in verdict.reasons)
    assert found == {
        "measured seconds": "0 of 5",
        "load workers heard at the end": "none was begun",
        "busiest load generator": "not measured",
        "lateness of the load generator's scheduler": "not measured",
        "requests offered": "not measured",
        "counts add up": "not looked at, the run was cut short",
    }


def test_terminal_and_page_say_so(stopped: Derived) -> None:
    """Instead of a table of noughts."""
    text, page = run_text(stopped), run_page(stopped)

    assert "nothing was measured: the measured phase did not begin\n" in text
    assert "operation  offered" not in text
    assert "No request was measured, so there is nothing to compare." in page
    assert "<dt>failed</dt>" not in page


def test_a_drill_that_never_began_tells_of_no_events() -> None:
    """Nor of seconds in which reads that nobody sent were missing."""
    drill = Drill("redis-kill", "Redis is killed.")

    assert drill_sentences(drill) == [
        "the fault never struck",
        "events: not compared; recovery time not known",
        "writes, warm-up to drain: none",
        "ranked reads, warm-up to drain: none",
    ]


def test_a_drill_stopped_in_its_warm_up_has_no_measured_events() -> None:
    """What was loaded and what the warm-up sent is told, and no more."""
    events = Events(102, 0, 0, 0, accepted_loaded=100, accepted_warmup=2)
    (_, told, *_) = drill_sentences(Drill("redis-kill", "Redis is killed.", events=events))

    assert told == (
        "events accepted 102 (100 loaded, 2 in the warm-up), lost 0, applied twice 0, "
        "gone backwards 0; recovery time not known"
    )
