"""The objectives of a scenario: data in run.json, judged by one function for each name."""

from collections.abc import Iterable, Mapping
from typing import Any

from reports.verdict.drill_objectives import longest_wait, recovery
from reports.verdict.event_objectives import stale, total_reads
from reports.verdict.judgement import Evidence, Judge, Judgement, Outcome
from reports.verdict.key_objectives import hottest_share, hottest_write_share, keys_touched
from reports.verdict.request_objectives import achieved, failed, late

# `late_ms` is the limit that `late_share` is a share of: one objective in two values; so stale.
_JUDGES: Mapping[str, Judge] = {
    "achieved_ratio": achieved,
    "failed": failed,
    "late_ms": late,
    "late_share": late,
    "hottest_write_share": hottest_write_share,
    "keys_touched": keys_touched,
    "hottest_share_sigmas": hottest_share,
    "stale_ms": stale,
    "stale_share": stale,
    "total_reads_of_bound": total_reads,
    "recovery_seconds": recovery,
    "longest_wait_ms": longest_wait,
}


def judge_objectives(evidence: Evidence) -> list[Judgement]:
    """Every objective that applies to the run's mode; an unreadable one is not judged."""
    applying = applying_objectives(evidence.facts.objectives, evidence.facts.mode)
    judgements: list[Judgement] = []
    judged: set[Judge] = set()
    for name in applying:
        judge = _JUDGES.get(name)
        if judge in judged:
            continue
        try:
            judgements += judge(applying, evidence) if judge else [_unknown(name, applying)]
        except (KeyError, TypeError, ValueError):
            judgements.append(_unknown(name, applying))
        if judge:
            judged.add(judge)
    return [*judgements, *_answered(evidence)]


def applying_objectives(objectives: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """The objectives for every mode, then those of this mode's own table."""
    general = {name: value for name, value in objectives.items() if not isinstance(value, dict)}
    own = objectives.get(mode)
    return general | (own if isinstance(own, dict) else {})


def _unknown(name: str, applying: Mapping[str, Any]) -> Judgement:
    return Judgement(
        name,
        Outcome.NOT_JUDGED,
        f"{name} = {applying[name]!r}",
        f"{name} is no objective that this version can judge",
    )


def _answered(evidence: Evidence) -> Iterable[Judgement]:
    """Even a run without objectives must have had an answer."""
    operations = evidence.measurements.operations.values()
    sent = sum(operation.sent for operation in operations)
    if sent and not any(operation.ok for operation in operations):
        yield Judgement(
            "answers", Outcome.MISSED, "at least one", f"not one of {sent:,} requests succeeded"
        )
