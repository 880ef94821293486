"""A drill's record: judged by its recovery, told in the terminal, drawn on the page."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from judged_runs import SHORT, changed, judged
from made_runs import make_run
from test_reports_dictionary import documented_names

from reports.derived import derive
from reports.page.run_page import run_page
from reports.rundir.reading import read_run
from reports.rundir.scenario_facts import Drill
from reports.sentences import events_sentence
from reports.terminal import run_text
from reports.verdict.verdict import Status

RECORD: dict[str, Any] = {
    "schema_version": 1,
    "drill": "redis-kill",
    "sentence": "Redis is killed.",
    "faults": [{"what": "Redis killed", "from_second": 1.5, "to_second": 2.25}],
    "events": {
        "accepted": 13_200,
        "lost": 0,
        "applied_twice": 0,
        "gone_backwards": 0,
        "accepted_loaded": 12_000,
        "accepted_warmup": 3,
        "accepted_measured": 1_197,
    },
    "recovery_seconds": 1.25,
    "writes": {"applied": 1_137, "durable-only": 60, "http_5xx": 3},
    "reads": {"ok": 420, "http_5xx": 80},
    "reads_recovering_seconds": 0.9,
    "reads_unavailable_seconds": 0.8,
    "longest_wait_ms": 512.0,
    "seconds": [
        {"second": 0, "writes_applied": 240, "reads_fresh": 100, "backlog": 40},
        {"second": 2, "writes_durable_only": 60, "writes_failed": 3, "reads_failed": 80},
    ],
}


def _drilled(parent: Path, **values: object) -> Path:
    path = make_run(parent, SHORT)
    changed(path, "run.json", lambda facts: facts.update(objectives={"recovery_seconds": 2}))
    (path / "drill.json").write_text(json.dumps(RECORD | values))
    return path


def test_the_proof_stands_with_the_verdict(tmp_path: Path) -> None:
    """The first thing to read is what became of the events."""
    page = run_page(derive(read_run(_drilled(tmp_path))))
    card = page.partition('<div class="verdict')[2].partition("</div>")[0]

    assert "lost 0, applied twice 0, gone backwards 0" in card


@pytest.mark.parametrize(
    ("seconds", "status", "reason"),
    [
        (1.25, Status.PASS, "everything was as before 1.2 s after the fault was over"),
        (2.0, Status.PASS, "everything was as before 2.0 s after the fault was over"),
        (2.01, Status.FAIL, "everything was as before 2.0 s after the fault was over"),
        (None, Status.FAIL, "the run ended before everything was seen to be as before"),
    ],
)
def test_recovery_is_judged_in_time(
    seconds: float | None, status: Status, reason: str, tmp_path: Path
) -> None:
    """Up to the objective is met; later, or never, is missed."""
    verdict = judged(_drilled(tmp_path, recovery_seconds=seconds))

    assert verdict.status is status
    assert f"{reason} (objective: at most 2 s)" in verdict.reasons


@pytest.mark.parametrize("objectives", [{"recovery_seconds": 2}, {"longest_wait_ms": 1_000}])
def test_a_drill_that_ended_before_its_fault_is_not_told_to_be_one(
    objectives: dict[str, int], tmp_path: Path
) -> None:
    """Nor that something was made to go wrong; it is a drill, and it proves nothing."""
    path = _drilled(tmp_path, faults=[], longest_wait_ms=None, recovery_seconds=None)
    changed(path, "run.json", lambda facts: facts.update(objectives=objectives))
    verdict = judged(path)
    page = run_page(derive(read_run(path)))

    assert verdict.status is Status.INVALID
    assert any("ended before the drill broke anything" in one for one in verdict.reasons)
    assert "It was to be a drill, and ended before anything was broken." in page
    assert "was made to go wrong" not in page


@pytest.mark.parametrize(
    ("found", "status"),
    [(999.9, Status.PASS), (1_000.1, Status.FAIL), (None, Status.INVALID)],
)
def test_the_longest_wait_is_judged(found: float | None, status: Status, tmp_path: Path) -> None:
    """Nobody waits longer for an answer, good or bad."""
    path = _drilled(tmp_path, longest_wait_ms=found)
    changed(path, "run.json", lambda facts: facts.update(objectives={"longest_wait_ms": 1_000}))

    assert judged(path).status is status


def test_a_run_in_which_nothing_was_broken_is_not_judged(tmp_path: Path) -> None:
    """A drill's scenario without a drill stands in the way of a pass."""
    path = _drilled(tmp_path)
    (path / "drill.json").unlink()

    assert judged(path).status is Status.INVALID


def test_the_terminal_tells_the_four_counts_and_the_recovery(tmp_path: Path) -> None:
    """Accepted, lost, applied twice, gone backwards and the time, in one line."""
    text = run_text(derive(read_run(_drilled(tmp_path))))

    assert (
        "drill redis-kill: Redis is killed.\n"
        "  · Redis killed: second 1.5 to 2.2\n"
        "  · events accepted 13,200 (12,000 loaded, 3 in the warm-up, 1,197 measured), lost 0, "
        "applied twice 0, gone backwards 0; recovery time 1.2 s\n"
        "  · ranked reads were marked as recovering during 0.9 s, "
        "and were unavailable during 0.8 s\n"
        "  · writes, warm-up to drain: applied 1,137, durable-only 60, http_5xx 3\n"
        "  · ranked reads, warm-up to drain: ok 420, http_5xx 80\n"
        "  · longest wait for an answer, from the send: 512 ms\n"
    ) in text


def test_what_is_not_known_is_said_so() -> None:
    """A drill whose ledger could not be read claims nothing of its events."""
    drill = msgspec.convert(RECORD | {"events": None, "recovery_seconds": None}, Drill)

    assert events_sentence(drill) == "events: not compared; recovery time not known"


def test_the_page_shows_the_fault_in_words_and_in_both_plots(tmp_path: Path) -> None:
    """The story names its seconds, and each plot is there once more than without a drill."""
    drilled = run_page(derive(read_run(_drilled(tmp_path / "drilled"))))
    plain = run_page(derive(read_run(make_run(tmp_path / "plain", SHORT))))

    assert "from second 1.5 to 2.2" in drilled
    assert "Answers and backlog second by second" in drilled
    assert '<i class="fault"></i>fault' in drilled
    assert "The drill" not in plain
    assert '<i class="fault"></i>' not in plain


def test_what_only_this_drill_found_is_told_and_drawn(tmp_path: Path) -> None:
    """Its sentences stand in the terminal, and an age of the top K has a strip of its own."""
    seconds = [{"second": 0, "top_age_seconds": 0.4}, {"second": 1, "top_age_seconds": 10.2}]
    faults = [RECORD["faults"][0], {"what": "Redis killed", "from_second": 3, "to_second": 4}]
    path = _drilled(tmp_path, seconds=seconds, faults=faults, findings=["top K: old"])
    derived = derive(read_run(path))

    assert "  · top K: old\n" in run_text(derived)
    assert "  · Redis killed: second 1.5 to 2.2, 3.0 to 4.0\n" in run_text(derived)
    assert "Age of the top K in seconds" in run_page(derived)


def test_an_operation_in_waves_is_offered_in_some_seconds_only(tmp_path: Path) -> None:
    """What was offered is held against those seconds."""
    path = make_run(tmp_path, SHORT)

    def halve(facts: dict[str, Any]) -> None:
        facts["model"]["operations"]["submit"]["seconds"] = 2

    found = judged(changed(path, "run.json", halve))

    assert found.status is Status.INVALID
    assert "submit offered 1,200 requests where the model has 480" in found.reasons


def test_a_broken_record_makes_the_run_invalid(tmp_path: Path) -> None:
    """Half of a file is named among the reasons."""
    path = _drilled(tmp_path)
    (path / "drill.json").write_text("{")
    verdict = judged(path)

    assert verdict.status is Status.INVALID
    assert any(reason.startswith("drill.json cannot be used") for reason in verdict.reasons)


def test_every_field_is_in_the_dictionary() -> None:
    """The dictionary lists the fields of drill.json, and no others."""
    fields = [field.name for field in msgspec.structs.fields(Drill)]

    assert sorted(fields) == sorted(documented_names("drill.json"))
