"""The objectives of a scenario, each held against what was measured."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

from reports.numbers.event_figures import PROJECTED, EventFigures, event_figures
from reports.numbers.traffic import KeyTraffic, skew_of
from reports.rundir.measurements import Operation
from reports.verdict.judgement import Evidence, Judge, Judgement, Outcome, exact
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
    for name, operation in _request_objectives_answered(evidence):
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


def _request_objectives_answered(evidence: Evidence) -> Iterator[tuple[str, Operation]]:
    for name, operation in evidence.measurements.operations.items():
        if operation.response_us.total:
            yield name, operation


def hottest_write_share(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """The share of the hottest key, which the naive design is meant to reach."""
    least = exact(asked["hottest_write_share"])
    wanted = f"{percent(least)}, since one key ranks all players"
    writes = evidence.traffic.of("write")
    skew = skew_of(writes, evidence.facts.fair_keys)
    if skew is None:
        yield _unseen("hottest write share", evidence, wanted)
        return
    total = sum(key.weight for key in writes)
    hottest = max(key.weight for key in writes)
    yield Judgement(
        "hottest write share",
        Outcome.MET if hottest >= least * total else Outcome.MISSED,
        wanted,
        f"{skew.hottest_key} took {hottest:,} of {total:,} writes, {percent(skew.hottest_share)}",
    )


def keys_touched(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """How many keys were written: `all`, or a number of them."""
    expected = evidence.facts.board_keys
    least = len(expected) if asked["keys_touched"] == "all" else int(exact(asked["keys_touched"]))
    wanted = f"all {least}" if least == len(expected) else f"at least {least}"
    writes = evidence.traffic.of("write")
    if not expected or not any(key.weight for key in writes):
        yield _unseen("keys touched", evidence, wanted)
        return
    touched = {key.key for key in writes if key.weight}
    missing = [key for key in expected if key not in touched]
    named = f"; not written: {', '.join(missing)}" if missing else ""
    reached = len(expected) - len(missing)
    yield Judgement(
        "keys touched",
        Outcome.MET if reached >= least else Outcome.MISSED,
        wanted,
        f"{reached} of {len(expected)} keys were written{named}",
    )


def hottest_share(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """The hottest key's share against what the popularity gives it, with room for chance."""
    sigmas = float(exact(asked["hottest_share_sigmas"]))
    writes = evidence.traffic.of("write")
    written = sum(key.weight for key in writes)
    computed = _computed_shares(evidence)
    if not written or not computed:
        yield _unseen("hottest share", evidence, f"computed share + {sigmas:g} standard deviations")
        return
    hottest = max(writes, key=lambda key: key.weight)
    share = computed.get(hottest.key, 0.0)
    limit = share + sigmas * sqrt(share * (1 - share) / written)
    yield Judgement(
        "hottest share",
        Outcome.MET if hottest.weight / written <= limit else Outcome.MISSED,
        f"at most {percent(limit)} = computed {percent(share)} + {sigmas:g} standard deviations",
        _hottest(hottest, written),
    )


def _hottest(key: KeyTraffic, total: int) -> str:
    return (
        f"the hottest key, {key.key}, took {key.weight:,} of {total:,} members written, "
        f"{percent(key.weight / total)}"
    )


def _computed_shares(evidence: Evidence) -> dict[str, float]:
    """What the popularity gives each Redis key: the sum over the partitions it serves."""
    service = evidence.facts.service
    shares: dict[str, float] = {}
    for partition, share in evidence.facts.model.partition_shares.items():
        key = service.boards.get(partition, partition) if service else partition
        shares[key] = shares.get(key, 0.0) + share
    return shares


def _unseen(name: str, evidence: Evidence, wanted: str) -> Judgement:
    """Why the keys say nothing; the counters of a foreign service were never promised."""
    reason = evidence.traffic.reason
    if reason is None and not any(key.weight for key in evidence.traffic.of("write")):
        return Judgement(name, Outcome.MISSED, wanted, "no write reached a key")
    why = reason or "run.json holds neither the keys nor their computed shares"
    outcome = Outcome.NOT_ASKED if evidence.facts.foreign else Outcome.NOT_JUDGED
    return Judgement(name, outcome, wanted, f"the keys cannot be judged: {why}")


_NO_EVENT = "the run had no community event"


def stale(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Polls that were told a total older than the limit, of those told one that may change."""
    limit_ms, most = exact(asked["stale_ms"]), exact(asked["stale_share"])
    wanted = f"at most {percent(most)}"
    than = f"older than {float(limit_ms):,g} ms"
    figures = _figures(evidence)
    if figures is None or not figures.age.total:
        text = _NO_EVENT if figures is None else "no poll was told a total that may change"
        yield Judgement("stale", Outcome.NOT_JUDGED, wanted, text)
        return
    polls = figures.age.total
    count = figures.age.count_above(float(limit_ms * 1000))
    share = Fraction(count, polls)
    outcome = Outcome.MET if share <= most else Outcome.MISSED
    text = f"{count:,} of {polls:,} polls were told a total {than}, {percent(share)}"
    yield Judgement("stale", outcome, wanted, text if count else f"no poll was told a total {than}")


def total_reads(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Redis reads of the total, of those that copies fetched once per interval allow.

    Reading it for every poll is what `direct` is for, so that mode is not asked.
    """
    most = exact(asked["total_reads_of_bound"])
    wanted = f"at most {float(most):g} x workers / refresh interval"
    figures = _figures(evidence)
    if figures is None or figures.reads is None or figures.bound_per_second is None:
        text = _NO_EVENT if figures is None else "nobody could count the reads of the total"
        yield Judgement("reads of the total", Outcome.NOT_JUDGED, wanted, text)
        return
    reads = figures.reads.counts["redis"]
    if figures.told.reads_mode != PROJECTED:
        text = f"every poll reads it in this mode: {reads:,} reads"
        yield Judgement("reads of the total", Outcome.NOT_ASKED, wanted, text)
        return
    workers = figures.told.service_workers or 0
    bound, seconds = most * exact(figures.bound_per_second), figures.reads.seconds
    # Both ends of the phase may fall into an interval that a fetch has begun.
    allowed = ceil(bound * exact(seconds)) + workers
    outcome = Outcome.MET if reads <= allowed else Outcome.MISSED
    polls = sum(figures.reads.counts.values())
    each = "the worker" if workers == 1 else f"each of {workers:,} workers"
    text = (
        f"Redis was read {reads:,} times for {polls:,} polls; {allowed:,} are allowed "
        f"({seconds:,.1f} s at {float(bound):,.1f} a second, rounded up, "
        f"and one more for {each})"
    )
    yield Judgement("reads of the total", outcome, wanted, text)


def _figures(evidence: Evidence) -> EventFigures | None:
    return event_figures(evidence.facts, evidence.measurements)


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
    return [*judgements, *_objectives_answered(evidence)]


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


def _objectives_answered(evidence: Evidence) -> Iterable[Judgement]:
    """Even a run without objectives must have had an answer."""
    operations = evidence.measurements.operations.values()
    sent = sum(operation.sent for operation in operations)
    if sent and not any(operation.ok for operation in operations):
        yield Judgement(
            "answers", Outcome.MISSED, "at least one", f"not one of {sent:,} requests succeeded"
        )
