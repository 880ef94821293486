"""rank-storm: many more exact ranks are asked for than the service computes."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from lab.audit.evidence import read_metrics
from lab.audit.invariants import Invariant
from lab.cli.variables import Variables
from lab.drills.fault import Findings, Scene
from lab.drills.request_rows import Request
from lab.errors import UsageError
from workload.operations import OPERATION_FIELDS
from workload.scenario import Scenario

_OPERATION = "rank_exact"
_TIMES_THE_LIMIT = 10
_REJECTED = "leaderboard_rank_rejected_total"


@dataclass
class RankStorm:
    """The storm is in the scenario, in waves; this notes when, and what the service refused."""

    # None while the service's count has not been read
    refused: int | None = None

    def strike(self, scene: Scene) -> None:
        """Note each wave, and read the service's own count when all is over."""
        clock, wave = scene.clock, scene.load.wave_seconds
        try:
            for begin in range(wave, clock.duration_seconds, 2 * wave):
                clock.wait_until(begin)
                with scene.fault("a storm of exact ranks"):
                    clock.wait_until(min(begin + wave, clock.duration_seconds))
            clock.wait_for_end()
        finally:  # also of a run that ended in the storm
            self.refused = int(read_metrics(scene.stack.service_url)[_REJECTED][""])

    def findings(self, requests: Sequence[Request]) -> Findings:
        """What was refused, and what the storm did to everybody's submits."""
        storm = [one for one in requests if one.operation == _OPERATION]
        told = sum(one.outcome == "http_4xx" for one in storm)
        share = told / len(storm) if storm else 0
        stormy = {math.floor(one.due) for one in storm}
        answered = sum(one.outcome == "ok" for one in storm)
        ranks = (
            f"exact ranks: {len(storm):,} asked for, {told:,} refused with 429 "
            f"({100 * share:.1f} %), {answered:,} answered"
        )
        invariants = []
        if self.refused is not None:
            name = "exact ranks: told to come back later ≤ refused by the service"
            invariants.append(Invariant(name, told, "≤", self.refused))
        return Findings([ranks, _submits(requests, stormy)], invariants)


def _submits(requests: Sequence[Request], stormy: set[int]) -> str:
    """The p99 of submits in each stretch with or without the storm; one stall decides nothing."""
    by_second: dict[int, list[float]] = defaultdict(list)
    for one in requests:
        if one.operation == "submit" and one.ended is not None and one.due >= 0:
            by_second[math.floor(one.due)].append(1_000 * (one.ended - one.due))
    found: dict[bool, list[float]] = {False: [], True: []}
    for is_stormy, seconds in groupby(sorted(by_second), lambda second: second in stormy):
        slowest = p99([time for second in seconds for time in by_second[second]])
        found[is_stormy] += [] if slowest is None else [slowest]
    if not all(found.values()):
        return "submit p99: too few answers with or without the storm"
    without, within = median(found[False]), median(found[True])
    return (
        f"submit p99: {without:,.1f} ms without the storm (median of {len(found[False])} "
        f"stretches), {within:,.1f} ms with it (of {len(found[True])}), "
        f"ratio {within / without:.2f}"
    )


def p99(times: Sequence[float]) -> float | None:
    """The time that 99 % did not exceed; None for fewer than a hundred."""
    if len(times) < 100:  # noqa: PLR2004  a p99 needs a hundred samples
        return None
    return sorted(times)[math.ceil(0.99 * len(times)) - 1]


def with_storm(variables: Variables) -> Variables:
    """The variables with ten times as many exact ranks as the service computes.

    Raises:
        UsageError: no scenario sends so many.
    """
    if any(one.startswith(f"{_OPERATION}=") for one in variables.set):
        return variables
    per_second = _TIMES_THE_LIMIT * variables.rank_limit / variables.scale
    if OPERATION_FIELDS[_OPERATION].problems(_OPERATION, per_second):
        raise UsageError(
            f"RANK_LIMIT={variables.rank_limit} at SCALE={variables.scale:g} would take a storm "
            f"of {_OPERATION}={per_second:.0f}, more than a scenario may send: lower the one or "
            "raise the other."
        )
    storm = f"{_OPERATION}={per_second:g}" if per_second < 1 else f"{_OPERATION}={per_second:.0f}"
    return variables.model_copy(update={"set": (*variables.set, storm)})


def missing_storm(scenario: Scenario, duration_seconds: int) -> str | None:
    """A sentence about a load without exact ranks, or without a calm and a stormy stretch."""
    if not scenario.operations.get(_OPERATION):
        return f"{_OPERATION}=0 leaves no storm: give a rate above 0, or none."
    wave = scenario.load.wave_seconds
    if 0 < 2 * wave <= duration_seconds:
        return None
    return (
        f"wave_seconds={wave} leaves no stretch without the storm and one with it in "
        f"DURATION={duration_seconds}s: give 1 to {duration_seconds // 2}."
    )
