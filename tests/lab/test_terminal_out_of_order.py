"""The out-of-order drill: its story against the rules, and its report from given measurements."""

from dataclasses import replace
from itertools import groupby

import pytest

from lab.terminal.board_client import Probe
from lab.terminal.out_of_order import (
    Observed,
    OutOfOrderMeasurement,
    make_story,
    out_of_order_report,
)
from lab.terminal.outage import Outage
from lab.terminal.report_lines import says_fail
from workload.assumptions import Assumptions
from workload.model import partition_keys

STORY = make_story(partition_keys(Assumptions()))
STEPS = (*STORY.before, *STORY.during)
OUTAGE = Outage(
    down=(Probe(503),) * 2,
    behind=(Probe(200, 450, recovering=True), Probe(200, 300, recovering=True)),
    after=(Probe(200, 650), Probe(200, 350)),
    replayed=3,
    unprojected=0,
)
MEASURED = OutOfOrderMeasurement(
    observed=tuple(
        Observed(
            step.status,
            step.score_after,
            Probe(200, step.score_after) if step in STORY.before else None,
        )
        for step in STEPS
    ),
    outage=OUTAGE,
)


def _report(measured: OutOfOrderMeasurement) -> list[str]:
    return out_of_order_report(measured, STORY, "ledger sqlite, LEDGER_SYNC=full")


def _with(at: int, **change: object) -> OutOfOrderMeasurement:
    """The measurement with one step that became something else."""
    observed = list(MEASURED.observed)
    observed[at] = replace(observed[at], **change)  # type: ignore[arg-type]  # a table of fields
    return replace(MEASURED, observed=tuple(observed))


def test_the_story_follows_from_the_rules() -> None:
    """A stored id is a duplicate, a sequence not above the last is stale, the rest applies."""
    ids: set[str] = set()
    standings: dict[str, tuple[int, int]] = {}
    told = []
    for step in STEPS:
        player, status = step.entry.player, "duplicate"
        if step.event_id not in ids:
            status = "stale"
            if step.sequence > standings.get(player, (0, 0))[0]:
                status = "applied" if step in STORY.before else "durable-only"
                ids.add(step.event_id)
                standings[player] = (step.sequence, step.entry.score)
        told.append((status, standings[player][1]))

    assert [(step.status, step.score_after) for step in STEPS] == told


def test_the_story_can_tell_a_sequence_from_a_score() -> None:
    """Some stale event is higher than what stays, and some newer one lower than what goes."""
    assert any(
        step.status == "stale" and step.entry.score > step.score_after for step in STORY.before
    )
    for _, steps in groupby(STORY.during, key=lambda step: step.entry.player):
        scores = [step.score_after for step in steps]
        if len(scores) > 2:
            assert scores[-1] < max(scores)


def test_two_players_have_two_partitions() -> None:
    """Where there is one partition alone both live there."""
    assert ["lb:na-east:solo:s1", "lb:apac:squad:s1"] == [
        player.partition for player in STORY.players()
    ]
    assert {"lb:eu:solo:s1"} == {
        player.partition for player in make_story(["lb:eu:solo:s1"]).players()
    }


def test_the_out_of_order_report_is_these_lines() -> None:
    """Every label and answer, in order."""
    assert _report(MEASURED) == [
        "OUT-OF-ORDER DRILL",
        (
            "Events, as player-sequence: one-2 applied, one-1 stale, one-1-higher stale, "
            "one-2-other stale, one-3 applied, one-2 duplicate, one-1 stale, two-1 applied"
        ),
        (
            "Events while Redis was down: one-6 durable-only, one-5 stale, one-6 duplicate, "
            "one-7 durable-only, two-2 durable-only, two-1 duplicate"
        ),
        "First event of a player: PASS",
        "Delayed older event: PASS",
        "Equal sequence of another event: PASS",
        "Newer sequence: PASS",
        "Retry of an old event: PASS",
        "Independent players: PASS",
        "Older event during the outage: PASS",
        "Replay after the outage: PASS",
        (
            "Sequence contract: an event whose sequence is not above its player's last one is "
            "stale; ledger and ranking keep the newer score."
        ),
        (
            "Drilled on a server of the lab's own, with data saved and loaded again; "
            "ledger sqlite, LEDGER_SYNC=full."
        ),
    ]


@pytest.mark.parametrize(
    ("measured", "line"),
    [
        (_with(1, status="applied"), "Delayed older event: FAIL - one-1 was applied, not stale"),
        (
            _with(1, durable=400),
            "Delayed older event: FAIL - after one-1 the ledger had 400, not 500",
        ),
        (
            _with(3, ranked=Probe(200, 900)),
            (
                "Equal sequence of another event: FAIL - "
                "after one-2-other the ranking showed 900, not 500"
            ),
        ),
        (
            _with(9, status="durable-only", durable=800),
            (
                "Older event during the outage: FAIL - one-5 was durable-only, not stale; "
                "after one-5 the ledger had 800, not 700"
            ),
        ),
        (
            replace(MEASURED, outage=replace(OUTAGE, behind=(Probe(200, 650), OUTAGE.behind[1]))),
            (
                "Replay after the outage: FAIL - before the replay the ranking showed player-one "
                "with 650, not 450 (recovering)"
            ),
        ),
        (
            replace(MEASURED, outage=replace(OUTAGE, after=(Probe(200, 700), OUTAGE.after[1]))),
            (
                "Replay after the outage: FAIL - after the replay the ranking showed player-one "
                "with 700, not 650"
            ),
        ),
        (
            replace(MEASURED, outage=replace(OUTAGE, unprojected=2)),
            "Replay after the outage: FAIL - events still waiting for the ranking: 2",
        ),
    ],
)
def test_every_wrong_step_fails_its_claim(measured: OutOfOrderMeasurement, line: str) -> None:
    """One wrong step fails one claim, and is told beside the right answer."""
    assert [line] == [one for one in _report(measured) if says_fail([one])]
