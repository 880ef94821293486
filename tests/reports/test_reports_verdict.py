"""The verdict: invalid before fail before pass, every reason with its numbers."""

from dataclasses import replace
from pathlib import Path

import pytest
from judged_runs import NAIVE, SHORT, changed, judged
from made_plan import Plan
from made_runs import make_run

from reports.verdict.verdict import Status


@pytest.mark.parametrize("plan", [SHORT, NAIVE], ids=["partitioned", "naive"])
def test_a_good_run_passes_and_says_why(plan: Plan, tmp_path: Path) -> None:
    """A pass lists what was met, the audit included."""
    verdict = judged(make_run(tmp_path, plan))

    assert verdict.status is Status.PASS
    assert "none of 1,700 requests failed (objective: none)" in verdict.reasons
    assert "the audit holds: 3 of 3 invariants" in verdict.reasons


@pytest.mark.parametrize(
    ("plan", "status", "reason"),
    [
        (
            replace(SHORT, ended="interrupted", cut_at=2, end_reason="SIGINT"),
            Status.INVALID,
            "the run was interrupted after 2 of 5 measured seconds: SIGINT",
        ),
        (
            replace(SHORT, ended="unfinished", cut_at=3),
            Status.INVALID,
            "the run was cut off and its last checkpoint holds 3 of 5 measured seconds",
        ),
        (
            replace(SHORT, ended="worker-lost", cut_at=3),
            Status.INVALID,
            "a load worker was lost after 3 of 5 measured seconds",
        ),
        (
            replace(SHORT, workers=3, silent_workers=1),
            Status.INVALID,
            "2 of 3 load workers reported (silent: slice 0)",
        ),
        (
            replace(SHORT, workers=2, cpu_ratio=0.92),
            Status.INVALID,
            (
                "load generators used more than 85 % of a core and may have been the bottleneck: "
                "0 (92 %), 1 (92 %)"
            ),
        ),
        (
            replace(SHORT, rates={"submit": 0, "top": 0, "around": 0}),
            Status.INVALID,
            "nothing was sent (0 requests were offered)",
        ),
        (
            replace(SHORT, failing=(1, 2), failure_kind="http_5xx"),
            Status.FAIL,
            "submit failed 240 of 1,200 requests: 240 http_5xx (objective: none)",
        ),
        (
            replace(SHORT, stall=(1, 1)),
            Status.FAIL,
            "20 of 125 top answers came later than 250 ms, 16 % (objective: at most 1 %)",
        ),
        (
            replace(SHORT, audit_holds=False),
            Status.FAIL,
            (
                "the audit does not hold: events acknowledged, then events the service accepted: "
                "13,200 ≤ 13,197"
            ),
        ),
        (
            replace(SHORT, keys_reason="/metrics: connection refused"),
            Status.INVALID,
            "the keys cannot be judged: /metrics: connection refused (objective: all 12)",
        ),
        (
            replace(SHORT, keys_reason="no metrics", foreign=True),
            Status.PASS,
            "not judged: the keys cannot be judged: no metrics (objective: all 12)",
        ),
        (
            replace(SHORT, audited=False),
            Status.PASS,
            "not judged: there is no audit of this run",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_kind_of_run_is_judged(
    plan: Plan, status: Status, reason: str, tmp_path: Path
) -> None:
    """Each kind of trouble has its status and a reason with numbers."""
    verdict = judged(make_run(tmp_path, plan))

    assert status is verdict.status
    assert reason in verdict.reasons


def test_a_dead_service_fails_with_its_kinds(tmp_path: Path) -> None:
    """A service that answers nothing is a failed run and no invalid one."""
    plan = replace(SHORT, failing=(0, 9), failure_kind="refused", keys_reason="no /metrics")
    verdict = judged(make_run(tmp_path, replace(plan, audited=False)))

    assert verdict.status is Status.FAIL
    assert "submit achieved 0 of 1,200 offered requests, 0 % (objective: at least 99 %)" in (
        verdict.reasons
    )
    assert "top failed 125 of 125 requests: 125 refused (objective: none)" in verdict.reasons
    assert "not one of 1,700 requests succeeded (objective: at least one)" in verdict.reasons


def test_invalid_comes_first_and_hides_nothing(tmp_path: Path) -> None:
    """A run that is both untrusted and failed is invalid, and lists the failures after."""
    plan = replace(SHORT, failing=(1, 2), workers=2, silent_workers=1, audit_holds=False)
    verdict = judged(make_run(tmp_path, plan))

    assert verdict.status is Status.INVALID
    assert verdict.reasons[0].startswith("1 of 2 load workers")
    assert any("failed 240 of 1,200" in reason for reason in verdict.reasons)
    assert verdict.reasons[-1].startswith("the audit does not hold")


def test_no_objectives_are_no_pass_for_a_dead_service(tmp_path: Path) -> None:
    """Without any objective a run still needs one good answer."""
    path = make_run(tmp_path, replace(SHORT, failing=(0, 9)))
    changed(path, "run.json", lambda content: content.update(objectives={}))

    assert judged(path).reasons == (
        "not one of 1,700 requests succeeded (objective: at least one)",
        "the audit holds: 3 of 3 invariants",
    )


def test_an_incident_makes_a_run_invalid(tmp_path: Path) -> None:
    """What the lab saw befall the run comes first among the reasons."""
    run = make_run(tmp_path, SHORT)
    sentence = "The service ended by itself (exit code -9)."

    verdict = judged(changed(run, "audit.json", lambda audit: audit.update(incidents=[sentence])))

    assert verdict.status is Status.INVALID
    assert sentence == verdict.reasons[0]


@pytest.mark.parametrize(
    ("plan", "expected", "status"),
    [
        (SHORT, True, Status.PASS),
        (SHORT, False, Status.INVALID),
        (replace(SHORT, failing=(1, 2)), False, Status.FAIL),
    ],
)
def test_an_audit_that_could_not_compare_is_no_pass(
    plan: Plan, expected: bool, status: Status, tmp_path: Path
) -> None:
    """What was accepted is not verified then; a run that failed all the same stays failed."""
    missing = [
        {"name": name, "reason": "The service is gone", "expected": expected}
        for name in ("accepted events", "final scores")
    ]
    run = make_run(tmp_path, plan)
    verdict = judged(changed(run, "audit.json", lambda audit: audit.update(not_comparable=missing)))
    told = "the audit could not compare accepted events, final scores: The service is gone"

    assert status is verdict.status
    assert (told in verdict.reasons) is not expected
