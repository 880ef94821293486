"""Objectives on a drill: everything is as before soon after the fault is over."""

from collections.abc import Iterable, Mapping
from typing import Any

from reports.verdict.judgement import Evidence, Judgement, Outcome, exact


def recovery(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Seconds from the end of the fault until nothing was behind any more."""
    most = exact(asked["recovery_seconds"])
    wanted = f"at most {float(most):g} s"
    if evidence.drill is None or not evidence.drill.faults:
        yield Judgement("recovery", Outcome.NOT_JUDGED, wanted, _why_not(evidence))
        return
    seconds = evidence.drill.recovery_seconds
    if seconds is None:
        text = "the run ended before everything was seen to be as before"
        yield Judgement("recovery", Outcome.MISSED, wanted, text)
        return
    outcome = Outcome.MET if exact(seconds) <= most else Outcome.MISSED
    text = f"everything was as before {seconds:.1f} s after the fault was over"
    yield Judgement("recovery", outcome, wanted, text)


def longest_wait(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """No request waits longer for its answer, good or bad, from the moment it is sent."""
    most = exact(asked["longest_wait_ms"])
    wanted = f"at most {float(most):,g} ms"
    found = evidence.drill.longest_wait_ms if evidence.drill else None
    if found is None:
        yield Judgement("longest wait", Outcome.NOT_JUDGED, wanted, _why_not(evidence))
        return
    outcome = Outcome.MET if exact(found) <= most else Outcome.MISSED
    text = f"since the fault began no request waited longer than {found:,.0f} ms for its answer"
    yield Judgement("longest wait", outcome, wanted, text)


def _why_not(evidence: Evidence) -> str:
    """Why there is nothing to judge."""
    if evidence.drill is None:
        return "there is no drill.json: nothing was broken, or the drill was ended too hard to tell"
    if not evidence.drill.faults:
        return "the run ended before the drill broke anything"
    return "no request was answered after the fault began"
