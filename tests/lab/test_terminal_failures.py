"""The failure drill's report, line by line, from given measurements."""

from dataclasses import replace

import pytest

from lab.terminal.board_client import Probe
from lab.terminal.failures import (
    FailuresMeasurement,
    champion_entry,
    expected_of,
    failures_report,
    retried_entry,
)
from lab.terminal.outage import Outage
from lab.terminal.plan import make_plan
from lab.terminal.report_lines import says_fail
from workload.assumptions import Assumptions

PLAN = make_plan(Assumptions())
EXPECTED = expected_of(PLAN)
OUTAGE = Outage(
    down=(Probe(503),),
    behind=(Probe(200, 0, recovering=True),),
    after=(Probe(200, 20_000),),
    replayed=1,
    unprojected=0,
)
MEASURED = FailuresMeasurement(
    retry_statuses=("applied", "duplicate"),
    retry_scores=(EXPECTED.retried,) * 2,
    outage_statuses=("durable-only", "duplicate"),
    durable_score=20_000,
    outage=OUTAGE,
    captured=EXPECTED.captured,
    fresh=EXPECTED.fresh,
)
LEDGER = "ledger sqlite, LEDGER_SYNC=full"


def _failures(measured: FailuresMeasurement) -> list[str]:
    return [line for line in failures_report(measured, EXPECTED, LEDGER) if says_fail([line])]


def _outage(**change: object) -> FailuresMeasurement:
    return replace(MEASURED, outage=replace(OUTAGE, **change))  # type: ignore[arg-type]  # a table of fields


def test_the_drill_takes_the_known_players() -> None:
    """Player 10 gains 500; the lowest player gets 10,000 more than the highest has."""
    assert ("player-00010", PLAN.dataset.scores[10] + 500) == (
        retried_entry(PLAN).player,
        retried_entry(PLAN).score,
    )
    champion = champion_entry(PLAN)
    assert 0 == min(PLAN.dataset.scores) == EXPECTED.champion_before
    assert (champion.player, 20_000) == EXPECTED.champion == EXPECTED.fresh[0]
    assert EXPECTED.captured[:9] == EXPECTED.fresh[1:]


def test_the_failures_report_is_these_lines() -> None:
    """Every label and answer, in order."""
    assert failures_report(MEASURED, EXPECTED, LEDGER) == [
        "FAILURE DRILL",
        "Event sent twice: applied, then duplicate",
        "Event sent twice while Redis was down: durable-only, then duplicate",
        (
            "Its score in the ranking: unavailable (503) then, 0 (recovering) with Redis back, "
            "20000 after replay"
        ),
        "Events replayed: 1",
        "Its place in the captured top: none",
        "Its place in a fresh top: 1",
        "Duplicate retry: PASS",
        "Redis outage replay: PASS",
        "Delayed aggregation: PASS",
        (
            "Failure contract: durable writes continue; ranking reads are stale or unavailable "
            "until projection recovery."
        ),
        (
            "Drilled on a server of the lab's own, with data saved and loaded again; "
            "ledger sqlite, LEDGER_SYNC=full."
        ),
    ]


@pytest.mark.parametrize(
    ("measured", "label", "problem"),
    [
        (
            replace(MEASURED, retry_statuses=("applied", "applied")),
            "Duplicate retry",
            "the answers were applied, applied",
        ),
        (
            replace(MEASURED, retry_scores=(EXPECTED.retried, 1)),
            "Duplicate retry",
            f"the ranking had {EXPECTED.retried} and then 1, {EXPECTED.retried} was sent",
        ),
        (
            replace(MEASURED, outage_statuses=("applied", "duplicate")),
            "Redis outage replay",
            "the answers were applied, duplicate",
        ),
        (
            replace(MEASURED, durable_score=None),
            "Redis outage replay",
            "the ledger had None, 20000 was sent",
        ),
        (
            _outage(down=(Probe(200, 0),)),
            "Redis outage replay",
            "the ranking answered while Redis was down",
        ),
        (
            _outage(behind=(Probe(200, 0),)),
            "Redis outage replay",
            "before the replay the ranking showed 0, not 0 (recovering)",
        ),
        (
            _outage(after=(Probe(503),)),
            "Redis outage replay",
            "after the replay the ranking showed unavailable (503), not 20000",
        ),
        (_outage(replayed=2), "Redis outage replay", "events replayed: 2, not 1"),
        (_outage(unprojected=1), "Redis outage replay", "events still waiting for the ranking: 1"),
        (
            replace(MEASURED, captured=EXPECTED.captured[::-1]),
            "Delayed aggregation",
            f"the captured top is {EXPECTED.captured[::-1]}, the truth is {EXPECTED.captured}",
        ),
    ],
)
def test_every_wrong_answer_fails_its_drill(
    measured: FailuresMeasurement, label: str, problem: str
) -> None:
    """One wrong answer fails one drill, and is told beside the right one."""
    assert [f"{label}: FAIL - {problem}"] == _failures(measured)


def test_an_aggregation_that_is_not_refreshed_fails() -> None:
    """The old top once more is not a fresh one, and one with the champion is not an old one."""
    (stale,) = _failures(replace(MEASURED, fresh=EXPECTED.captured))
    (early,) = _failures(replace(MEASURED, captured=EXPECTED.fresh))

    assert f"{EXPECTED.champion[0]} is not first in a fresh top" in stale
    assert f"{EXPECTED.champion[0]} was in the top before it had the score" in early
