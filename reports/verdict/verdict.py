"""The verdict: invalid before fail before pass, and every reason for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from reports.numbers.traffic import Traffic
from reports.rundir.reading import Audit, Run
from reports.verdict.judgement import Evidence, Judgement, Outcome
from reports.verdict.objectives import judge_objectives
from reports.verdict.trust import Check, trust_checks


class Status(StrEnum):
    """The three verdicts."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    FAIL = "fail"
    INVALID = "invalid"


@dataclass(frozen=True)
class Verdict:
    """The status with its reasons, and the judgements it rests on."""

    status: Status
    reasons: tuple[str, ...]
    checks: tuple[Check, ...]
    objectives: tuple[Judgement, ...]

    def json(self) -> dict[str, object]:
        """The `verdict` field of run.json."""
        return {"status": self.status.value, "reasons": list(self.reasons)}


def verdict_of(run: Run, traffic: Traffic) -> Verdict:
    """Judge a run; what is missing or broken makes it invalid."""
    checks: list[Check] = []
    objectives: list[Judgement] = []
    if run.measurements:
        checks = trust_checks(run.facts, run.measurements)
        objectives = judge_objectives(Evidence(run.facts, run.measurements, traffic, run.drill))
    distrust = [
        *(run.audit.incidents if run.audit else ()),
        *run.problems,
        *_problems(checks),
    ]
    missed = [*_sentences(objectives, Outcome.MISSED), *_not_held(run.audit)]
    unjudged = [*_sentences(objectives, Outcome.NOT_JUDGED), *_not_compared(run.audit)]
    if distrust or (unjudged and not missed):
        status, reasons = Status.INVALID, [*distrust, *missed, *unjudged, *_audited(run.audit)]
    elif missed:
        status, reasons = Status.FAIL, [*missed, *unjudged, *_audited(run.audit)]
    else:
        status, reasons = Status.PASS, _held(run.audit, objectives)
    return Verdict(status, tuple(reasons), tuple(checks), tuple(objectives))


def _sentences(objectives: list[Judgement], outcome: Outcome) -> list[str]:
    # Two objectives on the same missing evidence are one reason.
    found = {one.found: one.sentence for one in reversed(objectives) if one.outcome is outcome}
    return list(reversed(found.values()))


def _problems(checks: list[Check]) -> list[str]:
    # What to do about two of them is said once, after the last.
    found = dict.fromkeys(problem for check in reversed(checks) for problem in check.problems[::-1])
    return list(reversed(found))


def _not_held(audit: Audit | None) -> list[str]:
    invariants = audit.invariants if audit else []
    return [f"the audit does not hold: {one.sentence}" for one in invariants if not one.held]


def _not_compared(audit: Audit | None) -> Iterator[str]:
    """What the audit was there to compare and could not, by reason."""
    names: dict[str, list[str]] = {}
    for one in audit.not_comparable if audit else ():
        if audit and not one.expected and one.reason not in audit.incidents:
            names.setdefault(one.reason, []).append(one.name)
    for reason, missing in names.items():
        yield f"the audit could not compare {', '.join(missing)}: {reason}"


def _held(audit: Audit | None, objectives: list[Judgement]) -> list[str]:
    """A pass names what was met, and says so where something was not looked at."""
    held = _sentences(objectives, Outcome.MET)
    held += [f"not judged: {one}" for one in _sentences(objectives, Outcome.NOT_ASKED)]
    if audit is None:
        held.append("not judged: there is no audit of this run")
    return [*held, *_audited(audit)]


def _audited(audit: Audit | None) -> list[str]:
    """That the audit holds, whatever else is to be said; one that does not is a reason itself."""
    if audit is None or not audit.invariants or _not_held(audit):
        return []
    return [f"the audit holds: {len(audit.invariants)} of {len(audit.invariants)} invariants"]
