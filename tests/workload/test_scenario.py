"""Scenario files and overrides, and every problem of them at once."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from workload.assumptions import Assumptions, InvalidWorkload
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


PEAK = Path(__file__).parents[2] / "locustfiles" / "scenarios" / "peak.toml"


def problems(path: Path, *overrides: str) -> list[str]:
    """Load a scenario that must be refused, and give the reasons."""
    with pytest.raises(InvalidWorkload) as refusal:
        load_scenario(path, overrides)
    return list(refusal.value.problems)


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        (
            "update_fraction=0.25",
            "There is no name 'update_fraction'. Did you mean update_fraction_per_second?",
        ),
        ("region=eu", "There is no name 'region'. Did you mean regions?"),
        (
            "top_k_share",
            "'top_k_share' is no override; write name=value, such as top_k_share=0.25.",
        ),
        (
            "concurrent_players=12e6",
            "concurrent_players must be a whole number from 1 to 10,000,000,000; it is '12e6'.",
        ),
        (
            "concurrent_players=" + "9" * 5_000,
            (
                "concurrent_players must be a whole number from 1 to 10,000,000,000; "
                f"it is '{'9' * 59}...."
            ),
        ),
        (
            "zipf_exponent=1e400",
            "zipf_exponent must be a number above 0 up to 100; it is '1e400'.",
        ),
        ("zipf_exponent=nan", "zipf_exponent must be a number above 0 up to 100; it is 'nan'."),
        ("zipf_exponent=", "zipf_exponent must be a number above 0 up to 100; it is ''."),
        ("regions=", "regions must hold at least one name, such as na-east,eu; it is empty."),
        (
            "regions=eu,,apac",
            "regions holds '', but a name is 1 to 32 characters of a-z, 0-9 and '-'.",
        ),
        ("connections=0", "connections must be a whole number from 1 to 10,000; it is 0."),
        ("k=1001", "k must be a whole number from 1 to 1,000; it is 1001."),
        ("window=51", "window must be a whole number from 1 to 50; it is 51."),
        ("deadline_seconds=0", "deadline_seconds must be a number above 0 up to 60; it is 0.0."),
    ],
)
def test_a_bad_override_is_refused_in_a_sentence(override: str, problem: str) -> None:
    """A mistyped name gets the closest one, a bad value what it may be."""
    assert problems(PEAK, override) == [problem]


def test_a_name_like_no_other_gets_the_list_of_names() -> None:
    """Where nothing is close, everything there is is named."""
    (problem,) = problems(PEAK, "xyzzy=1")

    assert problem.startswith("There is no name 'xyzzy'. Known names: concurrent_players, ")
    assert problem.endswith(", achievements, colleagues.")


def test_everything_wrong_with_file_and_overrides_is_listed_at_once(
    write_scenario: Callable[[str], Path],
) -> None:
    """No sentence hides another, whichever part of the file it is about."""
    path = write_scenario(
        """
        name = "Small One"
        descripton = "?"
        window = 3
        objectives.failed = -1
        objectives.late_share = 2
        objectives.p99 = 5
        objectives.naive = 1
        objectives.partitioned = {keys_touched = "most", sigmas = 4}
        load = []
        [assumptions]
        region = ["eu"]
        top_k_share = 0.5
        zipf_exponent = true
        modes = "solo"
        """,
    )

    assert problems(path, "k=0", "window") == [
        "small.toml: There is no name 'descripton'. Did you mean description?",
        "small.toml: window belongs below [load].",
        "small.toml: name must be 1 to 24 characters of a-z, 0-9 and '-'; it is 'Small One'.",
        "small.toml: description must be a sentence; it is missing.",
        "small.toml: load must be a table; it is [].",
        "small.toml: There is no name 'region' in assumptions. Did you mean regions?",
        "small.toml: objectives.failed must be a whole number from 0 to 1,000,000,000; it is -1.",
        "small.toml: objectives.late_share must be a number from 0 up to 1; it is 2.",
        (
            "small.toml: There is no name 'p99' in objectives. "
            "Known names: achieved_ratio, failed, late_ms, late_share, stale_ms, stale_share, "
            "total_reads_of_bound, recovery_seconds, "
            "longest_wait_ms, naive, partitioned."
        ),
        "small.toml: objectives.naive must be a table; it is 1.",
        (
            "small.toml: objectives.partitioned.keys_touched must be 'all' "
            "or a whole number above 0; it is 'most'."
        ),
        (
            "small.toml: There is no name 'sigmas' in objectives.partitioned. "
            "Did you mean hottest_share_sigmas?"
        ),
        "'window' is no override; write name=value, such as top_k_share=0.25.",
        "modes must be a list of names, such as solo,duo; it is 'solo'.",
        "zipf_exponent must be a number above 0 up to 100; it is True.",
        "top_k_share and around_me_share must add up to 1; they are 0.5 and 0.75.",
        "k must be a whole number from 1 to 1,000; it is 0.",
    ]


def test_a_missing_scenario_is_answered_with_those_there_are(
    write_scenario: Callable[[str], Path],
) -> None:
    """A mistyped scenario need not be searched for; bad overrides are still named."""
    path = write_scenario("").with_name("peek.toml")

    assert problems(path, "window=0") == [
        f"There is no scenario peek ({path}); scenarios there: small.",
        "window must be a whole number from 1 to 50; it is 0.",
    ]


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    """What cannot be read says why."""
    assert problems(tmp_path) == [f"The scenario {tmp_path} cannot be read: Is a directory."]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A binary file is not decoded by guessing."""
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe")

    assert problems(path) == [f"The scenario {path} is not text in UTF-8."]


@pytest.mark.parametrize(
    "text",
    ["name = ", "a = " + "9" * 5_000, "a = " + "[" * 5_000],
    ids=["half a line", "an overlong integer", "nesting without end"],
)
def test_text_that_is_no_toml_is_refused(write_scenario: Callable[[str], Path], text: str) -> None:
    """The parser's own words follow, and never a traceback."""
    path = write_scenario(text)
    (problem,) = problems(path)

    assert problem.startswith(f"The scenario {path} is not valid TOML: ")


def test_load_settings_are_checked_wherever_they_are_made() -> None:
    """Settings made in code are held to the same bounds, all at once."""
    with pytest.raises(InvalidWorkload) as refusal:
        LoadSettings(connections=0, k=0)

    assert refusal.value.problems == (
        "connections must be a whole number from 1 to 10,000; it is 0.",
        "k must be a whole number from 1 to 1,000; it is 0.",
    )


def test_a_limit_needs_the_share_that_may_lie_beyond_it(
    write_scenario: Callable[[str], Path],
) -> None:
    """Alone it could not be judged, and the whole run would be invalid."""
    head = 'name = "small"\ndescription = "A small one."\n[objectives]\n'

    assert problems(write_scenario(head + "late_ms = 250\nstale_share = 0.1\n")) == [
        (
            "small.toml: objectives.late_ms and objectives.late_share are one objective: "
            "give both, or neither."
        ),
        (
            "small.toml: objectives.stale_ms and objectives.stale_share are one objective: "
            "give both, or neither."
        ),
    ]
