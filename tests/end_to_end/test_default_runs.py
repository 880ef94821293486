"""Every `make load-*` and every drill, once, in the shape of its defaults: each of them must pass.

The lengths of time are divided, all alike, so that no phase is left out. There are fewer players
and requests than by default, so that several runs fit on two cores at once.
"""

import json
import os
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from make_command import Checkout, copied_to

from lab.cli.variables import Variables
from lab.drills.catalogue import DRILLS

# How many run at once, round by round.
AT_ONCE = (4, 2, 1)
RATES = {"submit": 120, "top": 12.5, "around": 37.5}
PLAYERS = 600
# Lengths of time that DURATION and WARMUP do not reach, with the file that holds each.
LENGTHS = {
    "locustfiles/scenarios/odometer.toml": r"^stale_ms = ([\d_]+)",
    "locustfiles/scenarios/odometer.py": r"^REFRESH_MS: Final = ([\d_]+)",
    "locustfiles/scenarios/rank-storm.toml": r"^wave_seconds = ([\d_]+)",
}
# What a verdict says of a machine that was busy with other things: it says nothing of the run.
BUSY = (
    "load generators used more than ",
    "the generator's scheduler was more than ",
    "the load generator, not the service, was too slow",
    " answers came later than ",
    " achieved ",
)
# The load of a machine, for each of its cores, above which no verdict on time means anything.
MOST_LOAD = 2
# Chi-square of 12 level keys, above which chance leads once in 2,000 times.
CHANCE = 33


@dataclass(frozen=True)
class Order:
    """A command of make, and how many times shorter than by default it runs."""

    words: tuple[str, ...]
    times: int = 5

    @property
    def seconds(self) -> int:
        """The length of the measured phase."""
        return int(Variables.model_fields["duration"].default) // self.times


def load(name: str, *words: str, times: int = 5) -> dict[str, Order]:
    """The order of a load, by its target."""
    return {name: Order((name, "SCALE=0.0005", *words), times)}


def drill(name: str, *words: str, times: int = 5) -> dict[str, Order]:
    """The order of a drill, by its name."""
    return {name: Order(("drill", f"DRILL={name}", "SCALE=0.0002", *words), times)}


# An event's grace is whole seconds, and the hold of the top is ten of them.
ORDERS: Mapping[str, Order] = {
    **drill("stale-top", times=3),
    **load("load-odometer", times=3),
    **load("load-naive"),
    **load("load-partitioned", "WORKERS=2", "SERVICE_WORKERS=2"),
    **load("load-achievements", "SERVICE_WORKERS=2"),
    **drill("redis-kill", "MODE=partitioned"),
    **drill("redis-freeze"),
    **drill("redis-restore", "MODE=partitioned"),
    **drill("service-kill"),
    **drill("duplicates"),
    **drill("out-of-order"),
    **drill("disk-full"),
    **drill("rank-storm", "RANK_LIMIT=10"),
}


@dataclass(frozen=True)
class Finished:
    """A run that has ended, in a checkout of its own."""

    checkout: Checkout
    seconds: int
    code: int
    output: str
    load: float

    @property
    def verdict(self) -> dict[str, Any]:
        """Its verdict; a command that was refused has none."""
        for path in self.checkout.root.glob("reports/runs/*/run.json"):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["verdict"]
            return found
        return {"status": "none", "reasons": []}

    @property
    def is_spoilt(self) -> bool:
        """Whether it says no more than that the machine was busy."""
        reasons = [one for one in self.verdict["reasons"] if not one.startswith("the audit holds")]
        return bool(self.code and reasons) and all(
            any(busy in one for busy in BUSY) for one in reasons
        )

    def read(self, name: str) -> dict[str, Any]:
        """One of its documents."""
        return self.checkout.read_json(name)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Finished]:
    """All of them, some at a time, as a run waits for most of its time.

    Those that a busy machine has spoilt run again with fewer beside them.
    """
    finished: dict[str, Finished] = {}
    for at_once in AT_ONCE:
        left = [name for name in ORDERS if name not in finished or finished[name].is_spoilt]
        with ThreadPoolExecutor(at_once) as pool:
            folders = [tmp_path_factory.mktemp(name) for name in left]
            ended = pool.map(_run, [ORDERS[name] for name in left], folders)
            finished.update(zip(left, ended, strict=True))
    return finished


def _run(order: Order, folder: Path) -> Finished:
    checkout = copied_to(folder)
    _divide_lengths(checkout.root, order.times)
    warmup = int(Variables.model_fields["warmup"].default) // order.times
    words = (f"DURATION={order.seconds}s", f"WARMUP={warmup}s", f"PLAYERS={PLAYERS}")
    code, output = checkout.make(*order.words, *words)
    return Finished(
        checkout, order.seconds, code, output, os.getloadavg()[0] / (os.cpu_count() or 1)
    )


def _divide_lengths(root: Path, times: int) -> None:
    for name, pattern in LENGTHS.items():
        path = root / name
        text, found = re.subn(
            pattern,
            lambda match: match[0].replace(match[1], str(int(match[1]) // times)),
            path.read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
        assert found == 1, f"{name} holds no {pattern}"
        path.write_text(text, encoding="utf-8")


def passed(runs: Mapping[str, Finished], name: str, *left_out: str) -> Finished:
    """A run that passed, whose audit held and left out no more than it had to."""
    run = runs[name]
    if run.is_spoilt and run.load > MOST_LOAD:
        pytest.skip(f"{run.load:.1f} processes wait for each core, and this run ran alone")
    assert (0, "pass") == (run.code, run.verdict["status"]), run.output
    audit = run.read("audit.json")

    assert [one for one in audit["invariants"] if not one["held"]] == []
    assert [one["name"] for one in audit["not_comparable"]] == list(left_out)
    assert all(one["expected"] for one in audit["not_comparable"])
    assert audit["incidents"] == []
    assert run.checkout.left_after() == []
    return run


def test_every_command_that_loads_is_here() -> None:
    """A new drill, or a new `make load-…`, is run as its user would run it."""
    makefile = Path(__file__).parents[2] / "Makefile"
    loads = re.findall(r"^(load-[a-z]+):", makefile.read_text(encoding="utf-8"), re.MULTILINE)

    assert {*DRILLS, *loads} == ORDERS.keys()


def _check_offered(run: Finished) -> None:
    rows = {row["operation"]: row for row in run.checkout.table("operations.csv")}

    for operation, rate in RATES.items():
        row = {name: int(rows[operation][name]) for name in ("sent", "dropped", "ok", "failed")}
        offered = int(rows[operation]["offered"])
        assert rate * run.seconds == offered
        assert offered == row["sent"] + row["dropped"]
        assert row["sent"] == row["ok"] + row["failed"]


def test_naive_puts_every_write_on_one_key(runs: Mapping[str, Finished]) -> None:
    """A naive run offers exactly the modelled requests and hits a single key with all writes."""
    run = passed(runs, "load-naive", "ledger = projection")

    facts = run.checkout.run_json()
    assert facts["stack"] == "embedded"
    assert facts["skew"]["write"]["hottest_share"] == 1.0
    assert facts["skew"]["write"]["keys_touched"] == 1
    assert facts["skew"]["write"]["hottest_key"] == "lb:global:all:s1"
    _check_offered(run)


def test_partitioned_spreads_the_writes(runs: Mapping[str, Finished]) -> None:
    """With two generator workers and two service workers everything is counted once."""
    run = passed(runs, "load-partitioned", "ledger = projection")

    write = run.checkout.run_json()["skew"]["write"]
    rows = run.checkout.table("keys.csv")
    hits = sum(int(row["hits"]) for row in rows if row["op"] == "write")
    assert write["keys_touched"] == 12
    assert write["effective_keys"] > 12 / (1 + CHANCE / hits)
    _check_offered(run)


def test_an_event_opens_and_closes_while_it_is_polled(runs: Mapping[str, Finished]) -> None:
    """Old and new builds are told its end, and the lake agrees with it to the unit."""
    run = passed(runs, "load-odometer", "scores of the leaderboard")

    event = run.read("measurements.json")["scenario"]["community_event"]
    final = event["event"]["final"]["total"]
    assert {"old": 1, "new": 2} == event["versions"]
    assert final > 0
    rows = {row["source"]: int(row["count"]) for row in run.checkout.table("odometer.csv")}
    assert (150 * run.seconds, 150 * run.seconds) == (rows["event_v1"], rows["event_v2"])
    assert 300 * run.seconds == rows["polls"]
    assert "make load-odometer" in run.checkout.run_json()["command"]
    assert f"ended with {final:,} miles" in run.output


def test_members_are_swept_while_they_are_counted(runs: Mapping[str, Finished]) -> None:
    """The sweep lies in the middle, and afterwards every standing, board and frame is right."""
    run = passed(runs, "load-achievements", "scores of the leaderboard")

    told = run.read("measurements.json")["scenario"]["achievements"]
    assert (PLAYERS, PLAYERS) == (told["members"], told["sweep"]["scanned"])
    assert run.seconds / 2 <= told["sweep"]["from_second"] <= told["sweep"]["to_second"]
    phases = [one["phase"] for one in run.checkout.table("sweep.csv")]
    assert ["before", "during", "after"] == phases
    assert f"sweep\n  · scanned {PLAYERS} of {PLAYERS} members" in run.output


# Counters that a killed process takes along; the ledger proves the rest.
LOST_COUNTERS = {
    "redis-kill": ("board commands",),
    "redis-restore": ("board commands",),
    "service-kill": ("accepted events", "board commands"),
}


@pytest.mark.parametrize("name", DRILLS)
def test_a_drill_costs_no_accepted_event(runs: Mapping[str, Finished], name: str) -> None:
    """The fault strikes within the phase, all is as before in time, every event is proved."""
    run = passed(runs, name, *LOST_COUNTERS.get(name, ()))

    drilled = run.read("drill.json")
    begun = drilled["faults"][0]["from_second"]
    over = drilled["faults"][-1]["to_second"]
    assert "lost 0, applied twice 0, gone backwards 0; recovery time" in run.output
    assert drilled["events"]["accepted_loaded"] == PLAYERS
    assert drilled["events"]["accepted_measured"] > 0
    assert 0 <= begun < over <= run.seconds + 1
    assert drilled["recovery_seconds"] is not None


def test_reads_are_told_of_a_redis_that_came_back_empty(runs: Mapping[str, Finished]) -> None:
    """They are unavailable, then marked as recovering, for some time each."""
    drilled = passed(runs, "redis-kill", *LOST_COUNTERS["redis-kill"]).read("drill.json")

    assert drilled["reads_unavailable_seconds"] > 0
    assert drilled["reads_recovering_seconds"] > 0


def test_a_killed_service_takes_its_counters_along(runs: Mapping[str, Finished]) -> None:
    """The keys are then not known, and the failures are those of a process that is gone."""
    run = passed(runs, "service-kill", *LOST_COUNTERS["service-kill"])
    kinds = {row["kind"] for row in run.checkout.table("failures.csv")}

    assert "keys: not known, " in run.output
    assert kinds <= {"refused", "reset", "http_5xx"}


def test_a_storm_is_refused_and_comes_in_waves(runs: Mapping[str, Finished]) -> None:
    """As many waves as by default, and most of what is asked for is told to come back later."""
    run = passed(runs, "rank-storm")
    drilled = run.read("drill.json")
    (ranks, _) = drilled["findings"]
    found = re.match(r"exact ranks: ([\d,]+) asked for, ([\d,]+) refused", ranks)

    assert 6 == len(drilled["faults"])
    assert found
    asked, refused = (int(one.replace(",", "")) for one in found.groups())
    assert asked / 2 < refused < asked
