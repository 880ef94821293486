"""The audit compares what clients were told with what the processes counted."""

from typing import Any

import pytest

from lab.audit.evidence import BOARD_COMMANDS, Counters
from lab.audit.invariants import (
    NO_SCORES,
    FinalScore,
    audit,
    audit_sentence,
    foreign_audit,
    incomparable_audit,
    unmade_audit,
)
from lab.audit.ledger_file import Comparison, Kept, LedgerEvidence

_SERVICE = frozenset({(10, 1.0)})


def _counters(
    accepted: int = 0,
    *,
    answered: dict[str, int] | None = None,
    unknown: dict[str, int] | None = None,
    executed: dict[str, int] | None = None,
    run_id: str = "r1",
    service: frozenset[tuple[int, float]] = _SERVICE,
) -> Counters:
    nothing = dict.fromkeys(BOARD_COMMANDS, 0)
    return Counters(
        service_processes=service,
        redis_run_id=run_id,
        accepted_events=accepted,
        answered=nothing | (answered or {}),
        unknown=nothing | (unknown or {}),
        executed=nothing | (executed or {}),
    )


def _measurements(applied: int, unknown: int = 0, loaded: int = 0) -> dict[str, Any]:
    figures = {"offered": applied, "sent": applied, "dropped": 0, "ok": applied, "failed": 0}
    whole = {**figures, "unknown": unknown, "statuses": {"applied": applied}}
    return {
        "operations": {"submit": {**figures, "all": whole}},
        "loading": {"ok": loaded, "unknown": 0},
    }


def _without_scores() -> dict[str, Any]:
    """The measurements of a run about something else than scores."""
    return {"operations": {}, "loading": {"ok": 0, "unknown": 0}}


def _held(report: dict[str, Any]) -> dict[str, bool]:
    return {one["name"]: one["held"] for one in report["invariants"]}


@pytest.mark.parametrize(
    ("counted", "held"),
    [
        (99, [False, True]),
        (100, [True, True]),
        (103, [True, True]),
        (104, [True, False]),
    ],
)
def test_accepted_events_lie_between_told_and_told_plus_unknown(
    counted: int, held: list[bool]
) -> None:
    """With 100 told and 3 unknown, the service must have counted 100 to 103."""
    report = audit(_counters(7), _counters(7 + counted), _measurements(60, 3, loaded=40), [])

    assert held == list(_held(report).values())[:2]


@pytest.mark.parametrize(
    ("executed", "held"),
    [(49, [False, True]), (50, [True, True]), (52, [True, True]), (53, [True, False])],
)
def test_board_commands_lie_between_answered_and_answered_plus_unknown(
    executed: int, held: list[bool]
) -> None:
    """With 50 ZADD answered and 2 unknown, the server must have executed 50 to 52."""
    before = _counters(answered={"zadd": 5}, executed={"zadd": 5})
    after = _counters(answered={"zadd": 55}, unknown={"zadd": 2}, executed={"zadd": 5 + executed})

    report = audit(before, after, _measurements(0), [])

    assert held == [value for name, value in _held(report).items() if name.startswith("zadd")]


def test_an_unknown_script_may_have_run_its_inner_commands() -> None:
    """One EVALSHA without an answer allows one more of each inner command."""
    after = _counters(
        answered={"evalsha": 4, "zscore": 4},
        unknown={"evalsha": 1},
        executed={"evalsha": 5, "zscore": 5},
    )

    report = audit(_counters(), after, _measurements(0), [])

    assert all(_held(report).values())


def test_a_lost_score_is_found() -> None:
    """Two of three players hold what was accepted last: the invariant is not held."""
    scores = [FinalScore(5, 5), FinalScore(6, None), FinalScore(7, 7)]

    last = audit(_counters(), _counters(), _measurements(0), scores)["invariants"][-1]

    assert (last["left"], last["relation"], last["right"], last["held"]) == (2, "=", 3, False)


def test_a_run_without_scores_counts_no_empty_comparison() -> None:
    """Nothing against nothing proves nothing, and is said to be left out."""
    ledger = LedgerEvidence(0, Comparison(0, 0), Kept(0, 0))
    report = audit(_counters(), _counters(), _without_scores(), [], ledger)

    assert [] == report["invariants"]
    assert [{"name": "scores of the leaderboard", "reason": NO_SCORES, "expected": True}] == report[
        "not_comparable"
    ]


def test_scores_of_somebody_else_are_found_in_a_run_without_scores() -> None:
    """What the service counted and no client of the run was told of does not hold."""
    report = audit(_counters(7), _counters(8), _without_scores(), [])

    assert {
        "accepted events: told ≤ counted by the service": True,
        "accepted events: counted by the service ≤ told + unknown": False,
    } == _held(report)


def test_an_audit_that_cannot_be_kept_is_a_sentence() -> None:
    """How much of it held, and what did not with both numbers."""
    scores = [FinalScore(5, 5), FinalScore(6, None)]
    report = audit(_counters(), _counters(), _measurements(0), scores)
    held = len(report["invariants"])
    first, broken = audit_sentence(report).splitlines()

    assert f"The audit is not kept; of it {held - 1} of {held} invariants held." == first
    assert broken.endswith("1 = 2 does not hold")
    assert "nothing could be compared" in audit_sentence(incomparable_audit("it is gone"))


def test_a_restarted_redis_is_not_compared_by_its_counters() -> None:
    """Counters that began anew are said to be not comparable, never guessed."""
    report = audit(_counters(), _counters(run_id="r2"), _measurements(0), [])

    assert [one["name"] for one in report["not_comparable"]] == [
        "ledger = projection",
        "board commands",
    ]


def test_a_restarted_service_is_not_compared_by_its_counters() -> None:
    """A changed service process takes both of its counts out of the comparison."""
    report = audit(_counters(), _counters(service=frozenset({(11, 2.0)})), _measurements(9), [])

    assert [one["name"] for one in report["not_comparable"]] == [
        "ledger = projection",
        "accepted events",
        "board commands",
    ]
    assert len(report["invariants"]) == 1


def test_what_cannot_be_compared_says_why() -> None:
    """Without evidence there are no invariants, and a reason for each."""
    report = incomparable_audit("the service is gone")

    assert report["invariants"] == []
    assert {"the service is gone"} == {one["reason"] for one in report["not_comparable"]}


def test_what_was_to_be_compared_is_told_from_what_never_was() -> None:
    """No ledger and a foreign service are as they were asked for; nothing else is expected."""
    restarted = audit(_counters(), _counters(run_id="r2"), _measurements(0), [])
    expected = {one["name"]: one["expected"] for one in restarted["not_comparable"]}

    assert {"ledger = projection": True, "board commands": False} == expected
    assert all(one["expected"] for one in foreign_audit()["not_comparable"])
    for gone in (incomparable_audit("the service is gone"), unmade_audit()):
        assert not any(one["expected"] for one in gone["not_comparable"])


def test_counts_of_redis_that_were_reset_are_not_compared() -> None:
    """After CONFIG RESETSTAT the server's counts say nothing of this run."""
    before = _counters(answered={"zadd": 5}, executed={"zadd": 900})
    after = _counters(answered={"zadd": 105}, executed={"zadd": 30})
    report = audit(before, after, _measurements(0), [])

    assert not [name for name in _held(report) if name.startswith("zadd")]
    assert {
        "name": "board commands",
        "reason": "the Redis server's counts were reset meanwhile (CONFIG RESETSTAT)",
        "expected": False,
    } in report["not_comparable"]
