from dataclasses import replace

import msgpack  # type: ignore[import-untyped]  # ships no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from load_plans import PLAN, slices_of

from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival, arrivals_of_second
from workload.assumptions import Assumptions
from workload.load import LoadSettings
from workload.operations import MODELLED

ZIPF = replace(PLAN, assumptions=Assumptions(popularity="zipf", active_seasons=("s1", "s2")))


@pytest.mark.parametrize("plan", [PLAN, ZIPF])
def test_a_plan_travels_whole(plan: Plan) -> None:
    """A worker reads back from the message exactly what the master planned."""
    packed = msgpack.dumps(plan.as_message())

    assert plan == Plan.from_message(msgpack.loads(packed))


def of_second(plan: Plan, operation: str, second: int) -> list[Arrival]:
    """One slice's arrivals of one second."""
    schedule = plan.schedule(operation)
    return list(arrivals_of_second(schedule, second, plan.slices, plan.slice_index))


@pytest.mark.parametrize("operation", MODELLED)
@pytest.mark.parametrize("second", [-1, 0])
def test_slices_share_the_schedule_without_rest(operation: str, second: int) -> None:
    """Several workers' arrivals are together those of one, each once."""
    together = sorted(
        (arrival for plan in slices_of(PLAN, 3) for arrival in of_second(plan, operation, second)),
        key=lambda arrival: arrival.number,
    )

    assert of_second(PLAN, operation, second) == together


def test_a_players_requests_come_from_one_slice() -> None:
    """So the order of one player's writes is kept by one process."""
    players = [
        {arrival.player for second in range(5) for arrival in of_second(plan, "submit", second)}
        for plan in slices_of(PLAN, 2)
    ]

    assert set() == players[0] & players[1]
    assert all(len(some) > 500 for some in players)


def test_only_writes_bring_scores_and_only_top_names_no_player() -> None:
    """What an operation does not need is not drawn."""
    drawn = {name: of_second(PLAN, name, 0)[0] for name in MODELLED}

    assert [False, True, False] == [drawn[name].player == -1 for name in MODELLED]
    assert [False, True, True] == [drawn[name].score == -1 for name in MODELLED]


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 70))
def test_connections_are_shared_out_and_each_worker_has_one(total: int, slices: int) -> None:
    """The shares add up to what the scenario says, unless there are more workers than that."""
    plan = replace(PLAN, load=LoadSettings(connections=total))
    shares = [one.connections() for one in slices_of(plan, slices)]

    assert max(total, slices) == sum(shares)
    assert max(shares) - min(shares) <= 1


@pytest.mark.parametrize(
    ("operation", "slices", "expected"),
    [("submit", 1, 2400), ("submit", 2, 1200), ("top", 3, 84), ("around", 1, 750)],
)
def test_as_many_may_wait_as_fall_due_within_the_deadline(
    operation: str, slices: int, expected: int
) -> None:
    """The line is as long as the deadline times the rate, shared by the slices."""
    assert expected == slices_of(PLAN, slices)[0].queue_length(operation)


def test_a_rate_of_nothing_still_has_a_line() -> None:
    """An operation that never arrives needs no special case."""
    plan = replace(PLAN, rates={"submit": "0"})

    assert (1, []) == (plan.queue_length("submit"), of_second(plan, "submit", 0))


def test_the_numbers_of_the_warm_up_are_negative() -> None:
    """Number 0 is the first arrival of the measured phase."""
    plan = replace(PLAN, warmup_seconds=5)

    assert -1200 == plan.first_number("submit")
    assert 0 == of_second(plan, "submit", 0)[0].number
    assert -1200 == of_second(plan, "submit", -5)[0].number


@pytest.mark.parametrize(
    ("operation", "wave_seconds", "seconds"),
    [
        ("rank_exact", 0, [-1, 0, 1, 2, 3, 4, 5, 6]),
        ("rank_exact", 2, [2, 3, 6]),
        ("rank_exact", 9, []),
        ("submit", 2, [-1, 0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_operations_beside_the_model_come_in_waves(
    operation: str, wave_seconds: int, seconds: list[int]
) -> None:
    """First none, then all of them, and none in the warm-up; the model's never pause."""
    plan = replace(PLAN, duration_seconds=7, load=LoadSettings(wave_seconds=wave_seconds))

    assert seconds == [one for one in range(-1, 7) if plan.is_sent_in(operation, one)]
    assert len([one for one in seconds if one >= 0]) == plan.seconds_sent(operation)
