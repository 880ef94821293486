"""A run with a sweep: counting before, during and after it, in the table, the text and the page."""

import json
from pathlib import Path
from typing import Any

import pytest
from judged_runs import changed
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.derived import derive
from reports.rundir.reading import read_run
from reports.terminal import run_text

SECONDS = 10
SWEEP: dict[str, Any] = {
    "number": 1,
    "ended_at": "2026-09-06T04:40:01.500Z",
    "seconds": 0.8,
    "scanned": 12_000,
    "changed": 11_000,
    "unchanged": 1_000,
    "unlocked": 70_000,
    "from_second": 4.002,
    "to_second": 5.4,
}
SENTENCES = (
    (
        "scanned 12,000 of 12,000 members, changed 11,000, unchanged 1,000, unlocked 70,000, "
        "in 0.800 s: 15,000 members a second"
    ),
    (
        "p99 of count: before 1.0 ms (second 0 to 4), during 50.0 ms (second 4 to 6, the whole "
        "seconds in which the sweep ran), after 1.0 ms (second 6 to 10)"
    ),
    "during the sweep the p99 of count was 50.0 times what it was before",
)


def _second(number: int) -> dict[str, Any]:
    """A hundred answers of 1 ms, or of 50 ms in the two seconds that the sweep touches."""
    took = {"50000": 100} if number in {4, 5} else {"1000": 100}
    counts = dict.fromkeys(("offered", "sent", "ok", "completed"), 100)
    return {"second": number, **counts, "response_us": took}


def _made(folder: Path, sweep: dict[str, Any], **members: Any) -> Path:  # noqa: ANN401  (JSON)
    """A run that counted a hundred events a second, and tells of this sweep."""
    run = make_run(folder, Plan(duration_seconds=SECONDS))
    path = run / "measurements.json"
    content = json.loads(path.read_text())
    operations = content["operations"]
    operations["count"] = operations.pop("submit") | {
        "seconds": [_second(number) for number in range(SECONDS)]
    }
    facts = {"members": 12_000, "organizations": 120, "sweep": sweep} | members
    content["scenario"] = {"achievements": facts}
    path.write_text(json.dumps(content))

    def count_in_place_of_submit(facts: dict[str, Any]) -> None:
        operations = facts["model"]["operations"]
        operations["count"] = operations.pop("submit")

    return changed(run, "run.json", count_in_place_of_submit)


def test_the_phases_are_whole_seconds(tmp_path: Path) -> None:
    """Every second in which the sweep ran is `during`; together they are the measured phase."""
    derived = derive(read_run(_made(tmp_path, SWEEP)))

    assert [
        ("before", 0, 4, 400, 1.0, 1.0, 1.0),
        ("during", 4, 6, 200, 50.015, 50.015, 50.015),
        ("after", 6, 10, 400, 1.0, 1.0, 1.0),
    ] == [*derived.tables["sweep.csv"].rows]


def test_the_terminal_and_the_page_tell_the_same(tmp_path: Path) -> None:
    """What was swept and how fast, and what it did to counting."""
    run = _made(tmp_path, SWEEP)
    text = run_text(derive(read_run(run)))
    main(["html", str(run)])
    page = (run / "report.html").read_text()

    for sentence in SENTENCES:
        assert f"  · {sentence}\n" in text
        # a unit stays on the line of its number
        assert sentence.replace(" ms", "\N{NO-BREAK SPACE}ms") in page
    assert "<h2>The sweep</h2>" in page


def test_a_run_that_cannot_be_trusted_tells_no_ratio(tmp_path: Path) -> None:
    """What counting was like is told, and not what would be read as the sweep's doing."""
    run = _made(tmp_path, SWEEP)
    changed(run, "measurements.json", lambda measured: measured.update(ended="interrupted"))
    text = run_text(derive(read_run(run)))
    main(["html", str(run)])

    assert "p99 of count: before 1.0 ms" in text
    assert "times what it was before" not in text + (run / "report.html").read_text()


def test_a_sweep_that_did_not_end_says_so(tmp_path: Path) -> None:
    """It ran into the end of the run, and the service fell silent."""
    cut = SWEEP | {"ended_at": None, "seconds": None, "trouble": "no answer (timeout)"}
    derived = derive(read_run(_made(tmp_path, cut | {"to_second": 30.0})))
    text = run_text(derived)

    assert "unlocked 70,000; it had not ended when the run did" in text
    assert "what became of it is not known: no answer (timeout)" in text
    assert ("after", None, None, None, None, None, None) == [*derived.tables["sweep.csv"].rows][-1]


@pytest.mark.parametrize("sweep", [{}, {"scanned": -1}, {"from_second": "soon"}])
def test_a_run_that_tells_of_no_sweep_has_none(tmp_path: Path, sweep: dict[str, Any]) -> None:
    """It never began, or what is told of it is of no use."""
    derived = derive(read_run(_made(tmp_path, sweep)))

    assert "sweep.csv" not in derived.tables
    assert "\nsweep\n" not in run_text(derived)
