"""Objectives, judged exactly, at their limits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judged_runs import SHORT, changed, judged
from made_load import encoded
from made_runs import make_run

from reports.verdict.verdict import Status


@pytest.mark.parametrize(
    ("objectives", "reason"),
    [
        ({"speed": 3}, "speed is no objective that this version can judge (objective: speed = 3)"),
        (
            {"failed": "few"},
            "failed is no objective that this version can judge (objective: failed = 'few')",
        ),
        (
            {"late_share": 0.01},
            "late_share is no objective that this version can judge (objective: late_share = 0.01)",
        ),
        (
            {"late_ms": 250},
            "late_ms is no objective that this version can judge (objective: late_ms = 250)",
        ),
        (
            {"failed": True},
            "failed is no objective that this version can judge (objective: failed = True)",
        ),
    ],
)
def test_an_objective_nobody_can_judge_is_never_met(
    objectives: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    """An unknown or unreadable objective stands in the way of a pass."""
    path = make_run(tmp_path, SHORT)
    changed(path, "run.json", lambda content: content.update(objectives=objectives))
    verdict = judged(path)

    assert verdict.status is Status.INVALID
    assert reason in verdict.reasons


@pytest.mark.parametrize(
    ("achieved", "status"), [(1188, Status.PASS), (1187, Status.FAIL)], ids=["99 %", "under"]
)
def test_achieved_is_compared_exactly(achieved: int, status: Status, tmp_path: Path) -> None:
    """Exactly 99 % of offered is enough, one answer less is not."""
    path = make_run(tmp_path, SHORT)
    changed(
        path,
        "measurements.json",
        lambda content: content["operations"]["submit"].update(achieved=achieved),
    )

    assert status is judged(path).status


@pytest.mark.parametrize(("late", "status"), [(12, Status.PASS), (13, Status.FAIL)])
def test_late_answers_are_counted(late: int, status: Status, tmp_path: Path) -> None:
    """One in a hundred may be late, whatever the percentiles say."""

    def change(content: dict[str, Any]) -> None:
        times = np.array([1000] * (1200 - late) + [400_000] * late, dtype=np.int64)
        content["operations"]["submit"]["response_us"] = encoded(times)

    path = changed(make_run(tmp_path, SHORT), "measurements.json", change)

    assert status is judged(path).status
