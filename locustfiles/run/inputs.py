"""The inputs of a run, checked before any player is loaded; the limit on open files included."""

import os
import re
import resource
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from locustfiles.errors import BadInput
from locustfiles.http.dialer import Dialer, read_address
from locustfiles.options import MOST_PLAYERS, RunOptions
from locustfiles.run.plan import Plan
from locustfiles.run.target import Description, disagreements, read_description
from workload.assumptions import InvalidWorkload
from workload.dataset import Dataset, build_dataset
from workload.model import TrafficModel, partition_keys
from workload.scenario import Scenario

RUNS: Final = Path(__file__).resolve().parents[2] / "reports" / "runs"
FOREIGN_PREFIX: Final = "hotboard-"
_RUN_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,53}")
# What macOS takes at most where its hard limit says "any number".
_ALWAYS_TAKEN: Final = 10_240
# What a process has open beside its connections, generously.
_OWN_FILES: Final = 64


@dataclass(frozen=True)
class RunInputs:
    """The options, the scenario, the service, and the plan that follows from them."""

    options: RunOptions
    scenario: Scenario
    dialer: Dialer
    description: Description
    directory: Path
    plan: Plan

    def dataset(self) -> Dataset:
        """The players and the scores that they are loaded with."""
        keys = partition_keys(self.scenario.assumptions)
        return build_dataset(self.plan.players, keys, self.plan.seed)


def read_inputs(options: RunOptions) -> RunInputs:
    """Gather the inputs of a run.

    Raises:
        BadInput: with everything that is wrong.
    """
    scenario = options.scenario
    try:
        scaled = TrafficModel(scenario.assumptions).players(Fraction(options.scale))
    except InvalidWorkload as error:
        raise BadInput(*error.problems) from None
    players = options.players or scaled
    if players > MOST_PLAYERS:
        raise BadInput(
            f"A scale of {options.scale} stands for {players:,} players, more than the "
            f"{MOST_PLAYERS:,} that a run can load: use a smaller --scale, or --players."
        )
    dialer = Dialer(read_address(options.target))
    description = read_description(dialer)
    problems = disagreements(description.boards, scenario.assumptions, scenario.load)
    directory = options.run_dir or RUNS / _run_id(scenario.name, description.boards.mode)
    problems += _directory_problems(directory)
    plan = _plan(options, scenario, players, directory)
    try:
        plan.popularity.partition_shares()
    except InvalidWorkload as error:
        problems += error.problems
    problems += too_many_connections(plan, description.boards.service)
    problems += _id_problems(plan, description.boards.limits.id_characters)
    if problems:
        raise BadInput(*problems)
    return RunInputs(options, scenario, dialer, description, directory, plan)


def raise_limit() -> None:
    """Raise the soft limit on open files, often 1,024 or 256, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft in {hard, resource.RLIM_INFINITY}:
        return
    for wanted in (hard, max(soft, _ALWAYS_TAKEN)):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return


def too_many_connections(plan: Plan, service: Mapping[str, Any] | None) -> list[str]:
    """Sentences about connections that exceed the open files of a worker or the service."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    of_worker = None if soft == resource.RLIM_INFINITY else soft
    of_service = service.get("open_files") if service else None
    operations = len(plan.rates)
    problems = []
    for holder, each, limit, or_else in (
        ("a load worker", plan.connections(), of_worker, ", or take more workers"),
        ("the service", max(plan.load.connections, plan.slices), of_service, ""),
    ):
        wanted = operations * each
        if isinstance(limit, int) and wanted > limit - _OWN_FILES:
            problems.append(
                f"{operations} operations with {each:,} connections each are {wanted:,} in "
                f"{holder}, which may have {limit:,} files open, some {_OWN_FILES} of them its "
                f"own: lower --set connections=..., raise the limit where it is started (ulimit -n)"
                f"{or_else}."
            )
    return problems


def _plan(options: RunOptions, scenario: Scenario, players: int, directory: Path) -> Plan:
    return Plan(
        run_id=directory.name,
        target=options.target,
        slice_index=0,
        slices=options.workers,
        scale=options.scale,
        seed=options.seed,
        players=players,
        duration_seconds=options.duration_seconds,
        warmup_seconds=options.warmup_seconds,
        sequence_base=time.time_ns() // 1000,
        player_prefix=FOREIGN_PREFIX if options.is_foreign else "",
        request_log=str(directory) if options.keeps_request_log else "",
        assumptions=scenario.assumptions,
        load=scenario.load,
        rates={name: str(rate) for name, rate in scenario.rates(Fraction(options.scale)).items()},
    )


def _run_id(scenario: str, mode: str) -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{scenario}-{mode}"


def _id_problems(plan: Plan, limit: int) -> list[str]:
    longest = plan.longest_event_id()
    if longest <= limit:
        return []
    problem = (
        f"The service takes ids of up to {limit} characters, and event ids of this run would have "
        f"{longest}, because they begin with its name: name a --run-dir with a shorter one."
    )
    return [problem]


def _directory_problems(directory: Path) -> list[str]:
    if not _RUN_ID.fullmatch(directory.name):
        problem = (
            "--run-dir must end in a name of 1 to 53 letters, digits, '.', '_' and '-', because "
            f"event ids begin with it; it ends in {directory.name!r}."
        )
        return [problem]
    if (directory / "run.json").exists():
        return [f"--run-dir {directory} already holds a run: name another directory."]
    nearest = next(one for one in (directory, *directory.parents) if one.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return [f"--run-dir {directory} cannot be used: {nearest} is no directory to write into."]
    return []
