"""A run with a community event: its table, its sentences, its objectives."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_plan import Plan
from made_runs import make_run

from reports.derived import Derived, derive
from reports.numbers.event_figures import event_figures
from reports.page.run_page import run_page
from reports.rundir.reading import read_run
from reports.sentences import event_sentences
from reports.terminal import run_text
from reports.verdict.judgement import Outcome

EVENT: dict[str, Any] = {
    "event_id": "e",
    "state": "closed",
    "aggregate": {"field": "miles", "kind": "sum", "unit": "miles"},
    "total": 624_836,
    "tiers": [
        {"name": "bronze", "threshold": 600_000, "status": "complete", "missing": 0},
        {"name": "silver", "threshold": 700_000, "status": "not_reached", "missing": 75_164},
        {"name": "gold", "threshold": 800_000, "status": "locked", "missing": 175_164},
    ],
    "late": 3,
    "late_amount": 41,
    "late_eligible": 2,
    "refresh_ms": 1_000,
    "final": {
        "total": 624_836,
        "races": 70_000,
        "tier": "bronze",
        "contributors": 900,
        "joined": 1_000,
        "eligible": 800,
    },
}
READS = {
    "start": {"at_second": 0.01, "cache": 10.0, "redis": 1.0, "ledger": 0.0},
    "end": {"at_second": 4.01, "cache": 1_206.0, "redis": 5.0, "ledger": 0.0},
}
ASKED = {"stale_ms": 2_000, "stale_share": 0.01, "total_reads_of_bound": 1.0}
AGES = {"500000": 990, "1500000": 208, "2500000": 2}


def _derived(folder: Path, **changed: object) -> Derived:
    path = make_run(folder, Plan(duration_seconds=4))
    measured = json.loads((path / "measurements.json").read_text())
    made = measured["operations"].pop("top")
    for name, ages in (("event_v1", AGES), ("event_v2", {})):
        measured["operations"][name] = {**made, "ok": 600, "age_us": ages}
    told = {"event": EVENT, "reads_mode": "projected", "service_workers": 1, "reads": READS}
    measured["scenario"] = {"community_event": told | changed}
    (path / "measurements.json").write_text(json.dumps(measured))
    run = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(run | {"objectives": ASKED}))
    return derive(read_run(path))


def _judged(derived: Derived) -> dict[str, tuple[Outcome, str]]:
    return {one.name: (one.outcome, one.found) for one in derived.verdict.objectives}


def test_the_table_sets_polls_beside_reads(tmp_path: Path) -> None:
    """Polls and their ages by the clients, where answers came from by the service."""
    table = _derived(tmp_path).tables["odometer.csv"]

    assert table.csv().splitlines() == [
        "source,count,per_second,age_p50_ms,age_p99_ms,age_max_ms",
        "event_v1,600,150,500.223,1500.159,2500.607",
        "event_v2,600,150,,,",
        "polls,1200,300,500.223,1500.159,2500.607",
        "cache,1196,299,,,",
        "redis,4,1,,,",
        "ledger,0,0,,,",
    ]


def test_the_event_is_told_in_sentences(tmp_path: Path) -> None:
    """The same in the terminal and on the page."""
    derived = _derived(tmp_path)
    figures = event_figures(derived.run.facts, derived.run.measurements)
    assert figures is not None
    sentences = event_sentences(figures)

    assert sentences == [
        "it ended with 624,836 miles in 70,000 races of 900 players",
        (
            "tiers (miles): bronze at 600,000 complete; silver at 700,000 not_reached, missing "
            "75,164; gold at 800,000 locked, missing 175,164"
        ),
        (
            "802 of 1,000 joined players raced and earn the tier; "
            "races that came after the end: 3, 41 miles that are their players' and not in "
            "the total"
        ),
        (
            "ODOMETER_READS=projected: 1.0 reads of the total's key in Redis a second for "
            "300.0 polls a second; 1 worker at 1,000 ms may read 1.0 a second"
        ),
        (
            "age of the totals that polls were told until the end: "
            "p50 500 ms, p99 1,500 ms, oldest 2,501 ms"
        ),
    ]
    page, text = run_page(derived), run_text(derived)
    for sentence in sentences:
        assert f"  · {sentence}\n" in text
    assert "The community event" in page
    assert "silver at 700,000 not_reached, missing 75,164" in page


def test_objectives_on_the_event(tmp_path: Path) -> None:
    """Few polls are told a stale total, and the copies keep the reads down."""
    judged = _judged(_derived(tmp_path))

    assert judged["stale"] == (
        Outcome.MET,
        "2 of 1,200 polls were told a total older than 2,000 ms, 0.17 %",
    )
    assert judged["reads of the total"] == (
        Outcome.MET,
        (
            "Redis was read 4 times for 1,200 polls; 5 are allowed "
            "(4.0 s at 1.0 a second, rounded up, and one more for the worker)"
        ),
    )


@pytest.mark.parametrize(
    ("changed", "name", "outcome"),
    [
        ({"reads_mode": "direct"}, "reads of the total", Outcome.NOT_ASKED),
        ({"reads": {}}, "reads of the total", Outcome.NOT_JUDGED),
        ({"service_workers": None}, "reads of the total", Outcome.NOT_JUDGED),
        (
            {"reads": READS | {"end": READS["end"] | {"redis": 7.0}}},
            "reads of the total",
            Outcome.MISSED,
        ),
    ],
)
def test_reads_are_judged_by_what_is_known(
    tmp_path: Path, changed: dict[str, object], name: str, outcome: Outcome
) -> None:
    """In `direct` every poll reads the key, which is what that mode is for."""
    assert _judged(_derived(tmp_path, **changed))[name][0] is outcome


@pytest.mark.parametrize(
    ("caption", "changed", "told"),
    [
        ("still open", {"event": EVENT | {"final": None, "state": "open"}}, "was still open"),
        ("not read", {"event": None}, "could not be read when the run had ended"),
        ("not counted", {"reads": {"start": READS["end"], "end": READS["start"]}}, "nobody could"),
    ],
)
def test_what_is_missing_is_said(
    tmp_path: Path, caption: str, changed: dict[str, object], told: str
) -> None:
    """In place of a figure that nobody has."""
    derived = _derived(tmp_path, **changed)

    assert told in run_text(derived), caption


def test_facts_that_make_no_sense_are_no_event(tmp_path: Path) -> None:
    """The rest of the run still renders, and the objectives cannot be judged."""
    derived = _derived(tmp_path, joined="many")

    assert "odometer.csv" not in derived.tables
    assert "community event\n" not in run_text(derived)
    assert _judged(derived)["stale"] == (Outcome.NOT_JUDGED, "the run had no community event")


def test_an_event_whose_reads_nobody_counted_was_there_all_the_same(tmp_path: Path) -> None:
    """What could not be judged is what was missing, as after a run that was cut off."""
    judged = _judged(_derived(tmp_path, event=None, reads={}))

    assert judged["reads of the total"] == (
        Outcome.NOT_JUDGED,
        "nobody could count the reads of the total",
    )
