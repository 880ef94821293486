"""The verdict: invalid before fail before pass, every reason with its numbers."""

import json
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_load import encoded
from made_runs import PARTITIONS, Plan, make_run

from reports.derived import derive
from reports.rundir.reading import read_run
from reports.verdict.verdict import Status, Verdict

Change = Callable[[dict[str, Any]], None]

SHORT = Plan(duration_seconds=5)
NAIVE = replace(SHORT, mode="naive")


def _judged(path: Path) -> Verdict:
    return derive(read_run(path)).verdict


def _changed(path: Path, name: str, change: Change) -> Path:
    content = json.loads((path / name).read_text())
    change(content)
    (path / name).write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("plan", [SHORT, NAIVE], ids=["partitioned", "naive"])
def test_a_good_run_passes_and_says_why(plan: Plan, tmp_path: Path) -> None:
    """A pass lists what was met, the audit included."""
    verdict = _judged(make_run(tmp_path, plan))

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
            "the run was cut off after 3 of 5 measured seconds",
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
    verdict = _judged(make_run(tmp_path, plan))

    assert status is verdict.status
    assert reason in verdict.reasons


def test_a_late_scheduler_is_not_trusted(tmp_path: Path) -> None:
    """More than one arrival in a hundred over 20 ms late makes the run invalid."""
    verdict = _judged(make_run(tmp_path, replace(SHORT, lateness_us=9000)))

    assert verdict.status is Status.INVALID
    assert verdict.reasons[0].startswith("the scheduler was more than 20 ms late for ")
    assert verdict.reasons[0].endswith(" ms)")


@pytest.mark.parametrize(("late", "status"), [(1, Status.PASS), (2, Status.INVALID)])
def test_lateness_is_judged_as_a_count(late: int, status: Status, tmp_path: Path) -> None:
    """One late arrival of a hundred is the p99 at its limit; two are beyond it."""

    def change(content: dict[str, Any]) -> None:
        content["lateness_us"] = {"500": 100 - late, "30000": late}

    path = _changed(make_run(tmp_path, SHORT), "measurements.json", change)

    assert status is _judged(path).status


def test_a_dead_service_fails_with_its_kinds(tmp_path: Path) -> None:
    """A service that answers nothing is a failed run and no invalid one."""
    plan = replace(SHORT, failing=(0, 9), failure_kind="refused", keys_reason="no /metrics")
    verdict = _judged(make_run(tmp_path, replace(plan, audited=False)))

    assert verdict.status is Status.FAIL
    assert "submit achieved 0 of 1,200 offered requests, 0 % (objective: at least 99 %)" in (
        verdict.reasons
    )
    assert "top failed 125 of 125 requests: 125 refused (objective: none)" in verdict.reasons
    assert "not one of 1,700 requests succeeded (objective: at least one)" in verdict.reasons


def test_invalid_comes_first_and_hides_nothing(tmp_path: Path) -> None:
    """A run that is both untrusted and failed is invalid, and lists the failures after."""
    plan = replace(SHORT, failing=(1, 2), workers=2, silent_workers=1, audit_holds=False)
    verdict = _judged(make_run(tmp_path, plan))

    assert verdict.status is Status.INVALID
    assert verdict.reasons[0].startswith("1 of 2 load workers")
    assert any("failed 240 of 1,200" in reason for reason in verdict.reasons)
    assert verdict.reasons[-1].startswith("the audit does not hold")


def test_no_objectives_are_no_pass_for_a_dead_service(tmp_path: Path) -> None:
    """Without any objective a run still needs one good answer."""
    path = make_run(tmp_path, replace(SHORT, failing=(0, 9)))
    _changed(path, "run.json", lambda content: content.update(objectives={}))

    assert _judged(path).reasons == (
        "not one of 1,700 requests succeeded (objective: at least one)",
    )


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
    _changed(path, "run.json", lambda content: content.update(objectives=objectives))
    verdict = _judged(path)

    assert verdict.status is Status.INVALID
    assert reason in verdict.reasons


@pytest.mark.parametrize(
    ("achieved", "status"), [(1188, Status.PASS), (1187, Status.FAIL)], ids=["99 %", "under"]
)
def test_achieved_is_compared_exactly(achieved: int, status: Status, tmp_path: Path) -> None:
    """Exactly 99 % of offered is enough, one answer less is not."""
    path = make_run(tmp_path, SHORT)
    _changed(
        path,
        "measurements.json",
        lambda content: content["operations"]["submit"].update(achieved=achieved),
    )

    assert status is _judged(path).status


@pytest.mark.parametrize(("late", "status"), [(12, Status.PASS), (13, Status.FAIL)])
def test_late_answers_are_counted(late: int, status: Status, tmp_path: Path) -> None:
    """One in a hundred may be late, whatever the percentiles say."""

    def change(content: dict[str, Any]) -> None:
        times = np.array([1000] * (1200 - late) + [400_000] * late, dtype=np.int64)
        content["operations"]["submit"]["response_us"] = encoded(times)

    path = _changed(make_run(tmp_path, SHORT), "measurements.json", change)

    assert status is _judged(path).status


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
    _changed(
        path, "measurements.json", lambda content: content["operations"]["submit"].update(change)
    )
    verdict = _judged(path)

    assert verdict.status is Status.INVALID
    assert reason in verdict.reasons


def _writes(shares: list[int]) -> Change:
    def change(content: dict[str, Any]) -> None:
        for key, written in zip(PARTITIONS, shares, strict=True):
            start = content["keys"]["start"]["keys"][key]["write"]["members_written"]
            content["keys"]["end"]["keys"][key]["write"]["members_written"] = start + written

    return change


def test_the_hottest_share_has_room_for_chance(tmp_path: Path) -> None:
    """The limit is the computed share plus four standard deviations of the binomial."""
    total = 12_000
    limit = total / 12 + 4 * sqrt(total * (1 / 12) * (11 / 12))
    for hottest, status in ((int(limit), Status.PASS), (int(limit) + 1, Status.FAIL)):
        rest = [(total - hottest) // 11] * 11
        rest[0] += total - hottest - sum(rest)
        path = make_run(tmp_path / str(hottest), SHORT)
        _changed(path, "measurements.json", _writes([hottest, *rest]))

        assert status is _judged(path).status


def test_the_computed_share_follows_the_popularity(tmp_path: Path) -> None:
    """A partition that is meant to be hot is not blamed for it."""
    shares = (2 / 12, *[10 / 12 / 11] * 11)
    hot = replace(SHORT, shares=shares, popularity="hot-partition")
    path = make_run(tmp_path / "meant", hot)
    misread = make_run(tmp_path / "not-meant", hot)
    _changed(
        misread,
        "run.json",
        lambda content: content["model"].update(partition_shares=dict.fromkeys(PARTITIONS, 1 / 12)),
    )

    assert _judged(path).status is Status.PASS
    assert _judged(misread).status is Status.FAIL


def test_an_untouched_key_is_named(tmp_path: Path) -> None:
    """Partitioned must write every key; the one it missed is named."""
    path = make_run(tmp_path, SHORT)
    _changed(path, "measurements.json", _writes([110] * 11 + [0]))

    assert (
        "11 of 12 keys were written; not written: lb:apac:squad:s1 (objective: all 12)"
        in _judged(path).reasons
    )


def test_naive_must_meet_its_obstacle(tmp_path: Path) -> None:
    """A naive run whose writes went to two keys does not show what it is meant to show."""
    path = make_run(tmp_path, NAIVE)

    def change(content: dict[str, Any]) -> None:
        for when in ("start", "end"):
            keys = content["keys"][when]["keys"]
            keys["lb:other"] = json.loads(json.dumps(keys["lb:global:all:s1"]))

    _changed(path, "measurements.json", change)
    verdict = _judged(path)

    assert verdict.status is Status.FAIL
    assert (
        "lb:global:all:s1 took 1,200 of 2,400 writes, 50 % (objective: 100 %, the designed "
        "obstacle)" in verdict.reasons
    )
