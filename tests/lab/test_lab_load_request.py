"""What a load is refused for before anything is started."""

import pytest

from lab.cli.checks import require_sensible_load
from lab.cli.variables import Variables
from lab.errors import UsageError
from lab.stack.checkout_lock import HERE
from workload.scenario import load_scenario


def _problems(scenario: str, *overrides: str, **values: object) -> tuple[str, ...]:
    loaded = load_scenario(HERE.scenarios / f"{scenario}.toml", overrides)
    try:
        require_sensible_load(Variables.model_validate(values), loaded)
    except UsageError as error:
        return error.problems
    return ()


@pytest.mark.parametrize("scenario", ["peak", "odometer", "achievements"])
def test_a_usual_load_is_refused_nothing(scenario: str) -> None:
    """Nor one of the modelled mix without a ledger."""
    assert _problems(scenario) == ()
    assert _problems("peak", ledger="none") == ()


@pytest.mark.parametrize(
    ("scenario", "sent"),
    [
        ("odometer", "event_v1, event_v2, event_player, races"),
        ("achievements", "count, achievements, colleagues"),
    ],
)
def test_operations_of_the_ledger_need_one(scenario: str, sent: str) -> None:
    """LEDGER=none is told before a stack is up that could not answer them."""
    (problem,) = _problems(scenario, ledger="none")

    assert problem == (
        f"The scenario {scenario} sends {sent}, which a service without a ledger does not have: "
        "leave out LEDGER=none."
    )


def test_a_drill_is_no_load() -> None:
    """Neither its name nor its scenario breaks anything under another command."""
    named, scenario = _problems("redis-kill", drill="redis-kill")

    assert named == "DRILL=redis-kill belongs to `make drill`: nothing else breaks, leave it out."
    assert scenario == (
        "SCENARIO=redis-kill is a drill's, in which something must be broken: "
        "use `make drill DRILL=redis-kill`."
    )


def test_operations_that_a_scenario_prepares_need_one() -> None:
    """Beside the modelled mix every one of them would be told that there is no such event."""
    mixed, own = (
        _problems(name, "races=100", "event_v2=100", "count=100", "colleagues=1")
        for name in ("peak", "odometer")
    )

    assert mixed == (
        "event_v2, races: only SCENARIO=odometer prepares what they ask for.",
        "colleagues: only SCENARIO=achievements prepares what they ask for.",
    )
    assert own == ("colleagues: only SCENARIO=achievements prepares what they ask for.",)


def test_more_than_the_generator_has_memory_for_is_refused() -> None:
    """A slip of the finger would fill the machine; the whole model on one worker would not."""
    assert _problems("peak", scale=1) == ()
    assert _problems("peak", "rank_exact=100000000", scale=0.01, workers=2) == ()
    (problem,) = _problems("peak", "rank_exact=100000000", scale=0.05)

    assert problem == (
        "SCALE=0.05 of the scenario peak is 5,017,000 requests a second, above the 1,000,000 "
        "that a generator worker has memory for: lower SCALE or the rates, or raise WORKERS."
    )


@pytest.mark.parametrize(
    ("ports", "told"),
    [
        ({"service_port": 8089}, ["SERVICE_PORT and LOCUST_PORT are all 8089"]),
        (
            {"service_port": 9000, "locust_port": 9000, "loadgen_port": 9000},
            ["SERVICE_PORT and LOCUST_PORT and LOADGEN_PORT are all 9000"],
        ),
        ({"service_port": 8089, "locust_ui": False}, []),
        ({"service_port": 8089, "target": "http://h", "allow_writes": True}, []),
        ({"locust_ui": False, "loadgen_port": 0}, []),
    ],
)
def test_two_parts_do_not_share_a_port(ports: dict[str, object], told: list[str]) -> None:
    """The second would not start; a part that is not begun has none."""
    assert told == [problem.partition(":")[0] for problem in _problems("peak", **ports)]
