"""What falls over the edges of the measured phase: explained where it shows, and only there."""

from pathlib import Path
from typing import Any

import pytest
from judged_runs import NAIVE, changed
from made_runs import make_run

from reports.derived import derive
from reports.page.run_page import run_page
from reports.rundir.reading import read_run
from reports.sentences import edges_sentence
from reports.terminal import run_text

COUNTERS = (
    "the service's counters are read at the phase's edges, so a few writes of the warm-up "
    "or the drain fall on either side"
)
ACHIEVED = (
    "an answer to a request of the warm-up that arrives in the measured phase counts as "
    "achieved, so a share may pass 100 %"
)


@pytest.mark.parametrize(
    ("written", "achieved", "sentence"),
    [
        (0, 0, None),
        (1, 0, COUNTERS),
        (-12, 0, COUNTERS),
        (13, 0, None),
        (0, 1, ACHIEVED),
        (2, 3, f"{COUNTERS}; {ACHIEVED}"),
    ],
)
def test_a_run_explains_what_falls_over_its_edges(
    written: int, achieved: int, sentence: str | None, tmp_path: Path
) -> None:
    """A few writes more or less, a share above all; a larger difference has another cause."""

    def move(measured: dict[str, Any]) -> None:
        (key,) = measured["keys"]["end"]["keys"].values()
        key["write"]["members_written"] += written
        submit = measured["operations"]["submit"]
        submit["achieved"] = submit["offered"] + achieved

    derived = derive(read_run(changed(make_run(tmp_path, NAIVE), "measurements.json", move)))

    assert sentence == edges_sentence(derived)
    assert (sentence or "") in " ".join(run_text(derived).split())
    assert (sentence is not None) == ("At the edges:" in run_page(derived))


def test_writes_that_failed_explain_themselves(tmp_path: Path) -> None:
    """They are why the service counted fewer, not the edges."""

    def fail_one(measured: dict[str, Any]) -> None:
        (key,) = measured["keys"]["end"]["keys"].values()
        key["write"]["members_written"] -= 1
        measured["operations"]["submit"]["ok"] -= 1

    derived = derive(read_run(changed(make_run(tmp_path, NAIVE), "measurements.json", fail_one)))

    assert edges_sentence(derived) is None
