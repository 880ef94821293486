"""`failures`: a retry, an outage and a delayed aggregation, among the known players."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from lab.stack.service_settings import describe_ledger
from lab.terminal.bench import Bench, Workbench, progress
from lab.terminal.board_client import Probe
from lab.terminal.outage import Outage, go_through_outage, seen_until
from lab.terminal.plan import TOP_K, Plan, Standing, make_plan, truth_after
from lab.terminal.report_lines import verdict_line
from workload.dataset import Entry

_CONTRACT: Final = (
    "Failure contract: durable writes continue; ranking reads are stale or unavailable "
    "until projection recovery."
)


@dataclass(frozen=True)
class FailuresMeasurement:
    """What the service told; `durable_score` is the champion's in the ledger's file."""

    retry_statuses: tuple[str, ...]
    retry_scores: tuple[int | None, ...]
    outage_statuses: tuple[str, ...]
    durable_score: int | None
    outage: Outage
    captured: tuple[Standing, ...]
    fresh: tuple[Standing, ...]


@dataclass(frozen=True)
class FailuresExpected:
    """What the in-memory truth says: scores, and the top before and after the outage."""

    retried: int
    champion: Standing
    champion_before: int
    captured: tuple[Standing, ...]
    fresh: tuple[Standing, ...]


def failures_report(
    measured: FailuresMeasurement, expected: FailuresExpected, ledger: str
) -> list[str]:
    """Write the report with one verdict for each drill."""
    outage = measured.outage
    probes = (*outage.down, *outage.behind, *outage.after)
    down, behind, after = (probe.shown() for probe in probes)
    champion = expected.champion[0]
    return [
        "FAILURE DRILL",
        f"Event sent twice: {', then '.join(measured.retry_statuses)}",
        f"Event sent twice while Redis was down: {', then '.join(measured.outage_statuses)}",
        f"Its score in the ranking: {down} then, {behind} with Redis back, {after} after replay",
        f"Events replayed: {outage.replayed}",
        f"Its place in the captured top: {_place(champion, measured.captured)}",
        f"Its place in a fresh top: {_place(champion, measured.fresh)}",
        verdict_line("Duplicate retry", _retry_problems(measured, expected)),
        verdict_line("Redis outage replay", _outage_problems(measured, expected)),
        verdict_line("Delayed aggregation", _aggregation_problems(measured, expected)),
        _CONTRACT,
        f"Drilled on a server of the lab's own, with data saved and loaded again; {ledger}.",
    ]


def _retry_problems(measured: FailuresMeasurement, expected: FailuresExpected) -> Iterator[str]:
    if measured.retry_statuses != ("applied", "duplicate"):
        yield f"the answers were {', '.join(measured.retry_statuses)}"
    if measured.retry_scores != (expected.retried,) * 2:
        first, second = measured.retry_scores
        yield f"the ranking had {first} and then {second}, {expected.retried} was sent"


def _outage_problems(measured: FailuresMeasurement, expected: FailuresExpected) -> Iterator[str]:
    outage, score = measured.outage, expected.champion[1]
    (down,), (behind,), (after,) = outage.down, outage.behind, outage.after
    if measured.outage_statuses != ("durable-only", "duplicate"):
        yield f"the answers were {', '.join(measured.outage_statuses)}"
    if measured.durable_score != score:
        yield f"the ledger had {measured.durable_score}, {score} was sent"
    if down.status == HTTPStatus.OK:
        yield "the ranking answered while Redis was down"
    if behind != Probe(HTTPStatus.OK, expected.champion_before, recovering=True):
        yield (
            f"before the replay the ranking showed {behind.shown()}, "
            f"not {expected.champion_before} (recovering)"
        )
    if after != Probe(HTTPStatus.OK, score):
        yield f"after the replay the ranking showed {after.shown()}, not {score}"
    if outage.replayed != 1:
        yield f"events replayed: {outage.replayed}, not 1"
    if outage.unprojected:
        yield f"events still waiting for the ranking: {outage.unprojected}"


def _aggregation_problems(
    measured: FailuresMeasurement, expected: FailuresExpected
) -> Iterator[str]:
    champion = expected.champion[0]
    if champion in dict(measured.captured):
        yield f"{champion} was in the top before it had the score"
    if champion != measured.fresh[0][0]:
        yield f"{champion} is not first in a fresh top"
    for name in ("captured", "fresh"):
        answer, truth = getattr(measured, name), getattr(expected, name)
        if answer != truth:
            yield f"the {name} top is {answer}, the truth is {truth}"


def _place(player: str, top: tuple[Standing, ...]) -> str:
    names = [name for name, _ in top]
    return str(names.index(player) + 1) if player in names else "none"


_RETRIED_INDEX = 10
_RETRIED_GAIN = 500
_CHAMPION_LEAD = 10_000


def failures(workbench: Workbench) -> list[str]:
    """Report whether a retry, a lost Redis or an old answer did any harm."""
    plan = make_plan(workbench.assumptions)
    with workbench.drill_bench() as bench:
        bench.load(plan)
        measured = _measure(bench, retried_entry(plan), champion_entry(plan))
    return failures_report(measured, expected_of(plan), describe_ledger(workbench.drilled))


def retried_entry(plan: Plan) -> Entry:
    """The score that is sent twice."""
    entry = plan.dataset.entry(_RETRIED_INDEX)
    return replace(entry, score=entry.score + _RETRIED_GAIN)


def champion_entry(plan: Plan) -> Entry:
    """The lowest player, with a score ahead of everybody's."""
    entries = list(plan.dataset.entries())
    lowest = min(entries, key=lambda entry: entry.score)
    return replace(lowest, score=max(plan.dataset.scores) + _CHAMPION_LEAD)


def expected_of(plan: Plan) -> FailuresExpected:
    """What the in-memory truth says of it all."""
    retried, champion = retried_entry(plan), champion_entry(plan)
    return FailuresExpected(
        retried=retried.score,
        champion=(champion.player, champion.score),
        champion_before=min(plan.dataset.scores),
        captured=truth_after(plan.dataset, [retried]).top(TOP_K),
        fresh=truth_after(plan.dataset, [retried, champion]).top(TOP_K),
    )


def _measure(bench: Bench, retried: Entry, champion: Entry) -> FailuresMeasurement:
    client = bench.client
    retries = [(client.deliver("event-retry-1", retried), client.probe(retried)) for _ in range(2)]
    captured = _top(bench)

    def write_champion() -> tuple[tuple[str, ...], int | None]:
        progress("writing a score, and again, while Redis is down")
        statuses = tuple(client.deliver("event-outage-1", champion) for _ in range(2))
        return statuses, bench.ledger.score(champion.player)

    (statuses, durable), outage = go_through_outage(bench, [champion], write_champion)
    progress("asking for the global top again")
    fresh = seen_until(lambda: _top(bench), lambda top: champion.player in dict(top))
    return FailuresMeasurement(
        retry_statuses=tuple(status for status, _ in retries),
        retry_scores=tuple(probe.score for _, probe in retries),
        outage_statuses=statuses,
        durable_score=durable,
        outage=outage,
        captured=captured,
        fresh=fresh,
    )


def _top(bench: Bench) -> tuple[Standing, ...]:
    answer = bench.client.top(TOP_K)
    return tuple((entry["player"], entry["score"]) for entry in answer["entries"])
