"""`failures`: a retry, an outage and a delayed aggregation, among the known players."""

from dataclasses import replace

from lab.service_settings import describe_ledger
from lab.terminal.bench import Bench
from lab.terminal.failures_report import FailuresExpected, FailuresMeasurement, failures_report
from lab.terminal.outage import go_through_outage, seen_until
from lab.terminal.plan import TOP_K, Plan, make_plan
from lab.terminal.progress import progress
from lab.terminal.truth import Standing, truth_after
from lab.terminal.workbench import Workbench
from workload.dataset import Entry

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
    retries = [(client.deliver("event-retry-1", retried), client.sight(retried)) for _ in range(2)]
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
        retry_scores=tuple(sight.score for _, sight in retries),
        outage_statuses=statuses,
        durable_score=durable,
        outage=outage,
        captured=captured,
        fresh=fresh,
    )


def _top(bench: Bench) -> tuple[Standing, ...]:
    answer = bench.client.top(TOP_K)
    return tuple((entry["player"], entry["score"]) for entry in answer["entries"])
