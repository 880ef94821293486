"""Reasons not to trust a measurement, whatever its numbers say."""

from collections.abc import Iterator
from fractions import Fraction

from reports.numbers.span import COMPLETED, measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements, Operation

CPU_LIMIT = 0.85
LATENESS_LIMIT_US = 20_000
LATENESS_SHARE = Fraction(1, 100)

_ENDINGS = {
    "unfinished": "the run was cut off",
    "interrupted": "the run was interrupted",
    "worker-lost": "a load worker was lost",
    "failed-to-load": "the players could not be loaded",
    "service-lost": "the service was lost",
}


def reasons_for_distrust(facts: Facts, measurements: Measurements) -> list[str]:
    """Every reason, each with its numbers; none means the measurement stands."""
    return [
        *_ending(facts, measurements),
        *_missing_workers(measurements),
        *_busy_generators(measurements),
        *_lateness(measurements),
        *_sums(measurements),
        *_offered(facts, measurements),
        *_silence(measurements),
    ]


def _ending(facts: Facts, measurements: Measurements) -> Iterator[str]:
    if measurements.ended == COMPLETED:
        return
    what = _ENDINGS.get(measurements.ended, f"the run ended as {measurements.ended!r}")
    why = f": {measurements.end_reason}" if measurements.end_reason else ""
    measured = measured_seconds(facts, measurements)
    yield f"{what} after {measured} of {facts.duration_seconds:g} measured seconds{why}"


def _missing_workers(measurements: Measurements) -> Iterator[str]:
    silent = [generator.slice for generator in measurements.generators if not generator.reported]
    reported = len(measurements.generators) - len(silent)
    expected = measurements.expected_workers
    wanted = len(measurements.generators) if expected is None else expected
    if reported < wanted:
        which = f" (silent: slice {', '.join(map(str, silent))})" if silent else ""
        yield f"{reported} of {wanted} load workers reported{which}"


def _busy_generators(measurements: Measurements) -> Iterator[str]:
    busy = [
        f"{generator.slice} ({generator.cpu_ratio * 100:.0f} %)"
        for generator in measurements.generators
        if generator.cpu_ratio is not None and generator.cpu_ratio > CPU_LIMIT
    ]
    if busy:
        yield (
            f"load generators used more than {CPU_LIMIT * 100:.0f} % of a core and may have been "
            f"the bottleneck: {', '.join(busy)}"
        )


def _lateness(measurements: Measurements) -> Iterator[str]:
    # Judged as a count, which says the same as the p99 and can judge a short run too.
    lateness = measurements.lateness_us
    total = lateness.total
    late = lateness.count_above(LATENESS_LIMIT_US)
    if late > LATENESS_SHARE * total:
        p99 = lateness.percentile_ms(1 - LATENESS_SHARE)
        yield (
            f"the scheduler was more than {LATENESS_LIMIT_US // 1000} ms late for {late:,} of "
            f"{total:,} arrivals, more than 1 %" + (f" (p99 {p99:.1f} ms)" if p99 else "")
        )
    if total == 0 and _sent(measurements):
        yield "no scheduler lateness was recorded, so the load's timing cannot be checked"


def _sums(measurements: Measurements) -> Iterator[str]:
    if measurements.ended != COMPLETED:
        return
    for name, operation in measurements.operations.items():
        if operation.offered != operation.sent + operation.dropped:
            yield (
                f"{name} does not add up: {operation.offered:,} offered, but {operation.sent:,} "
                f"sent and {operation.dropped:,} dropped"
            )
        yield from _answers(name, operation)


def _answers(name: str, operation: Operation) -> Iterator[str]:
    if operation.sent != operation.ok + operation.failed:
        yield (
            f"{name} does not add up: {operation.sent:,} sent, but {operation.ok:,} ok "
            f"and {operation.failed:,} failed"
        )
    timed = operation.response_us.total
    if timed != operation.ok:
        yield f"{name} does not add up: {operation.ok:,} ok, but {timed:,} response times"


def _offered(facts: Facts, measurements: Measurements) -> Iterator[str]:
    if measurements.ended != COMPLETED:
        return
    for name, rate in facts.model.operations.items():
        modelled = rate.per_second * facts.duration_seconds
        found = measurements.operations.get(name)
        offered = found.offered if found else 0
        # A rate that is no whole number leaves a part of one arrival to the next second.
        if abs(offered - modelled) > 1:
            yield f"{name} offered {offered:,} requests where the model has {modelled:,.0f}"


def _silence(measurements: Measurements) -> Iterator[str]:
    if not _sent(measurements):
        offered = sum(operation.offered for operation in measurements.operations.values())
        yield f"nothing was sent ({offered:,} requests were offered)"


def _sent(measurements: Measurements) -> int:
    return sum(operation.sent for operation in measurements.operations.values())
