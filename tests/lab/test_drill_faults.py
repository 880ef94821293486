"""What single drills find beside what all of them look at, and what each of them needs."""

import re

import pytest

from lab.cli.problems import Problems
from lab.cli.variables import Variables
from lab.drills.catalogue import DRILLS, drill_variables, missing_fault
from lab.drills.rank_storm import RankStorm, p99, with_storm
from lab.drills.redis_freeze import RedisFreeze
from lab.drills.request_rows import Request
from lab.drills.stale_top import StaleTop, TopProbe
from lab.errors import UsageError
from lab.stack.checkout_lock import HERE
from workload.scenario import load_scenario

DOCS = (HERE.root / "docs" / "drills.md").read_text(encoding="utf-8")


def _variables(**values: object) -> Variables:
    return Variables.model_validate({"drill": "redis-kill", **values})


def _problems(**values: object) -> tuple[str, ...]:
    problems = Problems()
    drill_variables(_variables(**values), problems)
    with pytest.raises(UsageError) as caught:
        problems.tell()
    return caught.value.problems


@pytest.mark.parametrize("name", DRILLS)
def test_every_drill_has_a_scenario_and_a_row_in_the_docs(name: str) -> None:
    """The scenario asks for a recovery; `make help` names it, the docs its least duration too."""
    scenario = load_scenario(HERE.scenarios / f"{name}.toml")

    assert scenario.name == name
    assert scenario.objectives["recovery_seconds"] == 10
    assert re.search(
        rf"^\| `{name}` \|.+\| {DRILLS[name].shortest_seconds} s \|$", DOCS, flags=re.MULTILINE
    )
    assert name in (HERE.root / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"drill": None}, "DRILL names the drill: choose from redis-kill, "),
        ({"drill": "flood"}, "DRILL=flood is no drill: choose from redis-kill, "),
        ({"ledger": "none"}, "leave out LEDGER=none"),
        ({"redis_url": "redis://127.0.0.1:1/0"}, "REDIS_URL names a server of yours"),
        ({"target": "http://127.0.0.1:1", "allow_writes": True}, "TARGET names a service"),
        ({"stack": "compose"}, "leave out STACK=compose"),
        ({"scenario": "peak"}, "redis-kill.toml: leave out SCENARIO"),
        ({"duration": 5}, "DURATION=5s is too short for fault and recovery: this drill needs 6s."),
        ({"drill": "redis-freeze", "duration": 7}, "this drill needs 8s."),
        ({"drill": "stale-top", "duration": 19}, "this drill needs 20s."),
        ({"drill": "stale-top", "top": "live"}, "TOP=live has no aggregator to hold"),
        ({"lifted": False}, "LIFTED is about disk-full alone"),
        (
            {"drill": "rank-storm", "rank_limit": 1_000, "scale": 0.00001},
            "RANK_LIMIT=1000 at SCALE=1e-05 would take a storm of rank_exact=1000000000,",
        ),
    ],
)
def test_what_a_drill_cannot_do_is_said_before_the_start(
    values: dict[str, object], problem: str
) -> None:
    """Each problem names its variable and the way out."""
    assert any(problem in one for one in _problems(**values))


@pytest.mark.parametrize("drill", [None, "flood", "stale-top"])
def test_all_that_stands_in_the_way_of_a_drill_is_told_at_once(drill: str | None) -> None:
    """Also beside a name that is none, and beside what the drill itself cannot do."""
    values = {"drill": drill, "top": "live", "ledger": "none", "stack": "compose"}

    problems = _problems(**values, duration=20)

    told = "\n".join(problems)
    assert len(problems) == 3
    assert "leave out LEDGER=none" in told
    assert "leave out STACK=compose" in told
    assert ("TOP=live has no" if drill == "stale-top" else "choose from redis-kill") in told


@pytest.mark.parametrize(
    ("drill", "changed", "problem"),
    [
        ("redis-kill", ("resent_share=0",), None),
        ("duplicates", (), None),
        ("duplicates", ("top_k_share=0", "around_me_share=1"), None),
        ("redis-kill", ("update_fraction_per_second=0",), "leave update_fraction_per_second and"),
        ("redis-kill", ("leaderboard_reads_per_player_per_minute=0",), "writes and at ranked"),
        ("duplicates", ("resent_share=0",), "resent_share=0 leaves nothing that goes wrong"),
        ("out-of-order", ("overtaken_share=0.5",), None),
        ("out-of-order", ("overtaken_share=0",), "overtaken_share=0 leaves nothing"),
        ("rank-storm", ("wave_seconds=6",), None),
        ("rank-storm", ("wave_seconds=0",), "wave_seconds=0 leaves no stretch"),
        ("rank-storm", ("wave_seconds=7",), "in DURATION=12s: give 1 to 6."),
        ("rank-storm", ("rank_exact=0",), "rank_exact=0 leaves no storm"),
        ("rank-storm", ("rank_exact=100000000",), None),
    ],
)
def test_a_drill_without_its_fault_is_refused(
    drill: str, changed: tuple[str, ...], problem: str | None
) -> None:
    """A load in which nothing goes wrong would pass and prove nothing."""
    scenario = load_scenario(HERE.scenarios / f"{drill}.toml", changed)
    variables = _variables(drill=drill, duration=12)

    told = list(missing_fault(variables, scenario))

    assert [problem is not None and problem in one for one in told] == [True] * len(told)
    assert (problem is None) == (not told)


def test_a_drill_runs_its_own_scenario_on_a_stack_of_its_own() -> None:
    """Also while the compose stack is up; the top is materialised where it has to be."""
    kill = drill_variables(_variables(), Problems())
    stale = drill_variables(_variables(drill="stale-top"), Problems())

    assert (kill.scenario, kill.stack, kill.top) == ("redis-kill", "embedded", "live")
    assert (stale.scenario, stale.top) == ("stale-top", "materialised")


@pytest.mark.parametrize(
    ("values", "storm"),
    [
        ({}, "rank_exact=1000000"),
        ({"rank_limit": 20}, "rank_exact=200000"),
        ({"rank_limit": 1, "scale": 1}, "rank_exact=10"),
        ({"set": "rank_exact=7 k=5"}, "rank_exact=7"),
    ],
)
def test_the_storm_is_ten_times_the_limit_at_any_scale(
    values: dict[str, object], storm: str
) -> None:
    """Unless somebody says how strong it is to be."""
    adapted = with_storm(_variables(drill="rank-storm", **values))

    assert [one for one in adapted.set if one.startswith("rank_exact")] == [storm]


def _stale(*probes: tuple[float, float | None]) -> StaleTop:
    return StaleTop(probes=[TopProbe(*probe) for probe in probes], span=(5.0, 15.0))


HELD = ((4.0, 3.5), (6.0, 4.8), (14.9, 4.8))


@pytest.mark.parametrize(
    ("caption", "after", "recovered_at", "words"),
    [
        ("fresh at the second look", ((15.1, 4.8), (15.3, 15.2)), 15.3, "fresh 0.3 s after it"),
        ("never fresh", ((15.1, 4.8), (30.0, 4.8)), float("inf"), "not fresh after it"),
        ("the run ended under the hold", (), float("inf"), "not looked at after it"),
    ],
)
def test_the_top_grows_old_and_is_fresh_again(
    caption: str, after: tuple[tuple[float, float], ...], recovered_at: float, words: str
) -> None:
    """Recovered is the first answer of a time after the hold."""
    found = _stale(*HELD, *after).findings([])

    assert found.recovered_at == recovered_at, caption
    assert words in found.sentences[0]
    assert "at most 0.5 s old before the hold" in found.sentences[0]
    assert all(one.held for one in found.invariants)


def test_a_top_that_went_backwards_or_failed_does_not_hold() -> None:
    """Each is a line of the audit, with its count."""
    found = _stale((1.0, 0.9), (2.0, None), (3.0, 0.5), (16.0, 15.5)).findings([])

    assert [(one.left, one.right, one.held) for one in found.invariants] == [
        (3, 4, False),
        (1, 0, False),
    ]
    assert found.top_ages == {1: 0.1, 3: 2.5, 16: 0.5}


def _submits(second: int, milliseconds: float) -> list[Request]:
    due = float(second)
    return [
        Request("submit", number, "applied", due, due + milliseconds / 1000, due)
        for number in range(100)
    ]


def test_a_storm_tells_its_refusals_and_what_it_did_to_submits() -> None:
    """Stretches with exact ranks against stretches without; one stall, or the warm-up, is none."""
    storm = [
        Request("rank_exact", number, outcome, 1.5, 1.6, 1.5 + 2 * (number % 2))
        for number, outcome in enumerate(["http_4xx"] * 9 + ["ok"])
    ]
    calm = [*_submits(0, 2), *_submits(2, 4), *_submits(4, 90)]
    requests = [*_submits(-1, 900), *calm, *_submits(1, 5), *_submits(3, 7), *storm]
    ranks, submits = RankStorm(refused=9).findings(requests).sentences

    assert ranks == "exact ranks: 10 asked for, 9 refused with 429 (90.0 %), 1 answered"
    assert submits == (
        "submit p99: 4.0 ms without the storm (median of 3 stretches), "
        "6.0 ms with it (of 2), ratio 1.50"
    )


def test_a_refusal_that_the_service_did_not_count_does_not_hold() -> None:
    """What clients were told cannot be more than what the service says."""
    storm = [Request("rank_exact", 0, "http_4xx", 1.0, 1.1, 1.0)]

    assert not RankStorm(refused=0).findings(storm).invariants[0].held
    assert RankStorm(refused=1).findings(storm).invariants[0].held
    assert RankStorm().findings(storm).invariants == []


def test_a_p99_needs_a_hundred_samples() -> None:
    """The time that 99 of 100 did not exceed."""
    assert p99(range(99)) is None
    assert p99(range(1, 101)) == 99


def test_writes_under_a_frozen_redis_are_durable_only() -> None:
    """Those that were sent before or answered after are not looked at; any other does not hold."""
    writes = [
        Request("submit", 0, "applied", 2.9, 3.05),
        Request("submit", 1, "durable-only", 3.2, 3.7),
        Request("submit", 2, "durable-only", 4.0, 4.502),
        Request("submit", 3, "applied", 5.8, 6.1),
        Request("top", 0, "http_5xx", 3.2, 3.7),
    ]
    fault = RedisFreeze(frozen=(3.0, 6.0))
    found = fault.findings(writes)
    wrong = fault.findings([*writes, Request("submit", 4, "http_5xx", 4.0, 4.1)])

    assert list(found.sentences) == [
        "writes answered while Redis was frozen: 2, all 202, after at most 502 ms"
    ]
    assert [one.held for one in found.invariants] == [True]
    assert list(wrong.sentences) == ["writes answered while Redis was frozen: 3, 2 of them 202"]
    assert [one.held for one in wrong.invariants] == [False]
    assert RedisFreeze().findings(writes).invariants == ()


def test_a_full_disk_is_lifted_unless_it_is_not_to_be() -> None:
    """LIFTED=0 reaches the fault."""
    drill = DRILLS["disk-full"]

    assert "is_lifted=True" in repr(drill.fault_of(_variables()))
    assert "is_lifted=False" in repr(drill.fault_of(_variables(lifted=False)))


def test_the_files_of_drills_are_the_catalogues() -> None:
    """No scenario is left of a drill that is gone: those with a recovery are drills."""
    with_recovery = {
        path.stem
        for path in HERE.scenarios.glob("*.toml")
        if "recovery_seconds" in path.read_text(encoding="utf-8")
    }

    assert with_recovery == set(DRILLS)
