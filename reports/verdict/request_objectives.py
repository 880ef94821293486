"""Objectives on requests: enough answered, none failed, few late."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from reports.rundir.measurements import Operation
from reports.verdict.judgement import Evidence, Judgement, Outcome, exact
from reports.wording import percent


def achieved(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Ok answers that arrived in the measured phase, as a part of what was offered."""
    least = exact(asked["achieved_ratio"])
    wanted = f"at least {percent(least)}"
    ratios = {
        name: Fraction(operation.achieved, operation.offered)
        for name, operation in _offered(evidence)
    }
    for name, found in ratios.items():
        if found < least:
            operation = evidence.measurements.operations[name]
            yield Judgement(
                "achieved",
                Outcome.MISSED,
                wanted,
                f"{name} achieved {operation.achieved:,} of {operation.offered:,} "
                f"offered requests, {percent(found)}",
            )
    if ratios and min(ratios.values()) >= least:
        lowest = min(ratios, key=lambda name: ratios[name])
        least_found = f"; {lowest} least, with {percent(ratios[lowest])}"
        text = "every operation achieved what was offered"
        text += least_found if ratios[lowest] < 1 else ""
        yield Judgement("achieved", Outcome.MET, wanted, text)


def failed(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Failed requests of each operation, counted."""
    most = exact(asked["failed"])
    wanted = f"at most {most}" if most else "none"
    missed = [pair for pair in _offered(evidence) if pair[1].failed > most]
    for name, operation in missed:
        kinds = ", ".join(f"{kind.count:,} {kind.kind}" for kind in operation.failures)
        yield Judgement(
            "failed",
            Outcome.MISSED,
            wanted,
            f"{name} failed {operation.failed:,} of {operation.sent:,} requests"
            + (f": {kinds}" if kinds else ""),
        )
    if not missed:
        total = sum(operation.failed for _, operation in _offered(evidence))
        sent = sum(operation.sent for _, operation in _offered(evidence))
        if sent:
            text = f"{total or 'none'} of {sent:,} requests failed"
            yield Judgement("failed", Outcome.MET, wanted, text)


def late(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Answers later than the limit, judged as a count so that a short run can be judged."""
    limit_ms, most = exact(asked["late_ms"]), exact(asked["late_share"])
    wanted = f"at most {percent(most)}"
    than = f"later than {float(limit_ms):,g} ms"
    shares = {}
    for name, operation in _answered(evidence):
        answers = operation.response_us.total
        count = operation.response_us.count_above(float(limit_ms * 1000))
        shares[name] = Fraction(count, answers)
        if shares[name] > most:
            text = f"{count:,} of {answers:,} {name} answers came {than}, {percent(shares[name])}"
            yield Judgement("late", Outcome.MISSED, wanted, text)
    if shares and max(shares.values()) <= most:
        worst = max(shares, key=lambda name: shares[name])
        text = f"few answers came {than}, most of them {worst} with {percent(shares[worst])}"
        text = text if shares[worst] else f"no answer came {than}"
        yield Judgement("late", Outcome.MET, wanted, text)


def _offered(evidence: Evidence) -> Iterator[tuple[str, Operation]]:
    for name, operation in evidence.measurements.operations.items():
        if operation.offered:
            yield name, operation


def _answered(evidence: Evidence) -> Iterator[tuple[str, Operation]]:
    for name, operation in evidence.measurements.operations.items():
        if operation.response_us.total:
            yield name, operation
