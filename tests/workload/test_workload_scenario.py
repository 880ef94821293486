"""Scenario files and overrides: what they give, and everything that may be wrong with them."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from workload.assumptions import Assumptions
from workload.load import LoadSettings
from workload.scenario import Scenario, load_scenario

SCENARIOS = Path(__file__).parents[2] / "locustfiles" / "scenarios"
PEAK = SCENARIOS / "peak.toml"
SMALLEST = 'name = "small"\ndescription = "As little as a scenario can say."\n'


def test_peak_is_the_modelled_mix() -> None:
    """The file says in full what the defaults say."""
    expected = Scenario(
        "peak",
        "The modelled mix of a peak second: 240 writes, 25 top-K and 75 around-me reads in 340.",
        Assumptions(),
        LoadSettings(
            connections=48,
            deadline_seconds=10.0,
            request_timeout_seconds=10.0,
            k=10,
            window=2,
            resent_share=0.0,
            overtaken_share=0.0,
            wave_seconds=0,
        ),
        {
            "achieved_ratio": 0.99,
            "failed": 0,
            "late_ms": 250,
            "late_share": 0.01,
            "naive": {"hottest_write_share": 1.0},
            "partitioned": {"keys_touched": "all", "hottest_share_sigmas": 4},
        },
        modelled_mix=True,
        operations={},
    )

    assert expected == load_scenario(PEAK)


def test_peak_names_every_assumption() -> None:
    """A reader of the file sees all there is to change."""
    text = PEAK.read_text(encoding="utf-8")

    assert [name for name in asdict(Assumptions()) if f"\n{name} = " not in text] == []
    assert [name for name in asdict(LoadSettings()) if f"\n{name} = " not in text] == []


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_scenario_loads_under_its_own_name(path: Path) -> None:
    """A copied file that kept the old name would record its runs under it."""
    assert load_scenario(path).name == path.stem


def test_what_a_scenario_leaves_out_is_the_baseline(write_scenario: Callable[[str], Path]) -> None:
    """Name and description are enough; such a run has no objectives."""
    scenario = load_scenario(write_scenario(SMALLEST))

    assert scenario.assumptions == Assumptions()
    assert scenario.load == LoadSettings()
    assert scenario.objectives == {}


def test_overrides_change_assumptions_and_load_settings() -> None:
    """Numbers are read as decimals, lists as comma lists, blanks around them do not matter."""
    scenario = load_scenario(
        PEAK,
        [
            "update_fraction_per_second=0.25",
            "regions = eu , apac",
            "hot_partition_multiplier=1.5",
            "popularity=zipf",
            "concurrent_players=24_000_000",
            "connections=8",
            "deadline_seconds=2",
        ],
    )

    assert scenario.assumptions == replace(
        Assumptions(),
        update_fraction_per_second=0.25,
        regions=("eu", "apac"),
        hot_partition_multiplier=1.5,
        popularity="zipf",
        concurrent_players=24_000_000,
    )
    assert scenario.load == replace(LoadSettings(), connections=8, deadline_seconds=2.0)


def test_the_last_override_of_a_name_counts() -> None:
    """What is typed at the end of a command wins."""
    scenario = load_scenario(PEAK, ["k=20", "k=30"])

    assert scenario.load.k == 30


def test_overriding_back_gives_the_baseline_exactly() -> None:
    """A change that is taken back leaves nothing behind."""
    changes = ["update_fraction_per_second=0.25", "update_fraction_per_second=0.02"]

    assert load_scenario(PEAK) == load_scenario(PEAK, changes)


def test_an_override_replaces_a_bad_value_of_the_file(
    write_scenario: Callable[[str], Path],
) -> None:
    """Only the value that counts is judged."""
    path = write_scenario(SMALLEST + "[load]\nk = 0\n")

    assert load_scenario(path, ["k=5"]).load.k == 5


def test_a_number_of_keys_may_be_an_objective(write_scenario: Callable[[str], Path]) -> None:
    """All keys, or so many."""
    path = write_scenario(SMALLEST + "[objectives.partitioned]\nkeys_touched = 3\n")

    assert load_scenario(path).objectives == {"partitioned": {"keys_touched": 3}}
