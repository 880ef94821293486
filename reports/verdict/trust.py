"""Whether a measurement can be trusted, whatever its numbers say: one check after another."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from reports.numbers.span import COMPLETED, measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements, Operation
from reports.wording import percent

CPU_LIMIT = 0.85
LATENESS_LIMIT_MS = 20
LATENESS_SHARE = Fraction(1, 100)
_NOT_BEGUN = "before the measured phase began"
TOO_SLOW = "the load generator, not the service, was too slow: close other work, or lower SCALE"

UNFINISHED = "unfinished"
_ENDINGS = {
    UNFINISHED: "the run was cut off",
    "interrupted": "the run was interrupted",
    "worker-lost": "a load worker was lost",
    "failed-to-load": "the players could not be loaded",
    "service-lost": "the service was lost",
}


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: what was found, what is wanted, and what is wrong with it."""

    name: str
    found: str
    wanted: str
    problems: tuple[str, ...] = ()


def trust_checks(facts: Facts, measurements: Measurements) -> list[Check]:
    """Every check; a single problem means that the measurement does not stand."""
    return [
        _ending(facts, measurements),
        _workers(facts, measurements),
        _generator_cpu(measurements),
        _lateness(measurements),
        _offered(facts, measurements),
        _sums(measurements),
    ]


def _ending(facts: Facts, measurements: Measurements) -> Check:
    measured = measured_seconds(facts, measurements)
    planned = f"{facts.duration_seconds:g}"
    problems: tuple[str, ...] = ()
    if measurements.ended != COMPLETED:
        what = _ENDINGS.get(measurements.ended, f"the run ended as {measurements.ended!r}")
        why = f": {measurements.end_reason}" if measurements.end_reason else ""
        when = f"after {measured} of {planned} measured seconds" if measured else _NOT_BEGUN
        if measurements.ended == UNFINISHED and facts.measured_from is not None:
            # Nobody was left to say when; the last checkpoint may be from long before.
            when = f"and its last checkpoint holds {measured} of {planned} measured seconds"
        problems = (f"{what} {when}{why}",)
    return Check("measured seconds", f"{measured} of {planned}", "all of them", problems)


def _workers(facts: Facts, measurements: Measurements) -> Check:
    name, all_of_them = "load workers heard at the end", "all of them"
    if not measurements.generators and not measured_seconds(facts, measurements):
        return Check(name, "none was begun", all_of_them)
    silent = [generator.slice for generator in measurements.generators if not generator.reported]
    reported = len(measurements.generators) - len(silent)
    expected = measurements.expected_workers
    wanted = len(measurements.generators) if expected is None else expected
    found = f"{reported} of {wanted}"
    problems: tuple[str, ...] = ()
    if reported < wanted:
        which = f" (silent: slice {', '.join(map(str, silent))})" if silent else ""
        problems = (f"{found} load workers reported{which}",)
    return Check(name, found, all_of_them, problems)


def _generator_cpu(measurements: Measurements) -> Check:
    used = {
        generator.slice: generator.cpu_ratio
        for generator in measurements.generators
        if generator.cpu_ratio is not None
    }
    limit = f"{CPU_LIMIT * 100:.0f} %"
    busy = [f"{number} ({ratio:.0%})" for number, ratio in used.items() if ratio > CPU_LIMIT]
    problem = (
        f"load generators used more than {limit} of a core and may have been the bottleneck: "
        f"{', '.join(busy).replace('%', ' %')}"
    )
    found = f"{max(used.values()) * 100:.0f} % of a core" if used else "not measured"
    return Check(
        "busiest load generator", found, f"at most {limit}", (problem, TOO_SLOW) if busy else ()
    )


def _lateness(measurements: Measurements) -> Check:
    # Judged as a count, which says the same as the p99 and can judge a short run too.
    lateness = measurements.lateness_us
    total = lateness.total
    late = lateness.count_above(LATENESS_LIMIT_MS * 1000)
    p99 = lateness.percentile_ms(1 - LATENESS_SHARE)
    few = f"{late:,} of {total:,} late" if total else "not measured"
    found = few if p99 is None else f"p99 {p99:.1f} ms"
    problems: list[str] = []
    if late > LATENESS_SHARE * total:
        problems += [
            (
                f"the generator's scheduler was more than {LATENESS_LIMIT_MS} ms late for "
                f"{late:,} of {total:,} arrivals, more than 1 % ({found})"
            ),
            TOO_SLOW,
        ]
    if total == 0 and _sent(measurements):
        problems.append(
            "no lateness of the generator's scheduler was recorded, so the timing cannot be checked"
        )
    return Check(
        "lateness of the load generator's scheduler",
        found,
        f"at most {percent(LATENESS_SHARE)} above {LATENESS_LIMIT_MS} ms",
        tuple(problems),
    )


def _offered(facts: Facts, measurements: Measurements) -> Check:
    offered = sum(operation.offered for operation in measurements.operations.values())
    planned = {
        name: rate.offered(facts.duration_seconds) for name, rate in facts.model.operations.items()
    }
    wanted = f"{sum(planned.values()):,.0f}, as the {facts.rates_of} has it"
    if not measured_seconds(facts, measurements):
        return Check("requests offered", "not measured", wanted)
    problems = [*_off_the_plan(planned, facts.rates_of, measurements)]
    # What workers sent that never reported is not known.
    if not _sent(measurements) and all(one.reported for one in measurements.generators):
        problems.append(f"nothing was sent ({offered:,} requests were offered)")
    return Check("requests offered", f"{offered:,}", wanted, tuple(problems))


def _off_the_plan(
    planned: dict[str, float], rates_of: str, measurements: Measurements
) -> Iterator[str]:
    for name, wanted in planned.items() if measurements.ended == COMPLETED else ():
        found = measurements.operations.get(name)
        offered = found.offered if found else 0
        # A rate that is no whole number leaves a part of one arrival to the next second.
        if abs(offered - wanted) > 1:
            yield f"{name} offered {offered:,} requests where the {rates_of} has {wanted:,.0f}"


def _sums(measurements: Measurements) -> Check:
    problems: list[str] = []
    if measurements.ended == COMPLETED:
        for name, operation in measurements.operations.items():
            problems += [f"{name} does not add up: {what}" for what in _wrong_sums(operation)]
    found = "they do not" if problems else "they do"
    if measurements.ended != COMPLETED:
        found = "not looked at, the run was cut short"
    wanted = "offered = sent + dropped, sent = ok + failed"
    return Check("counts add up", found, wanted, tuple(problems))


def _wrong_sums(operation: Operation) -> Iterator[str]:
    offered, sent, dropped = operation.offered, operation.sent, operation.dropped
    if offered != sent + dropped:
        yield f"{offered:,} offered, but {sent:,} sent and {dropped:,} dropped"
    if sent != operation.ok + operation.failed:
        yield f"{sent:,} sent, but {operation.ok:,} ok and {operation.failed:,} failed"
    timed = operation.response_us.total
    if timed != operation.ok:
        yield f"{operation.ok:,} ok, but {timed:,} response times"


def _sent(measurements: Measurements) -> int:
    return sum(operation.sent for operation in measurements.operations.values())
