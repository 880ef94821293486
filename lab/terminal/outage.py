"""A real outage: Redis goes down with its data saved, comes back with it, and catches up."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeVar

from prometheus_client.parser import text_string_to_metric_families

from lab.job_pauses import PROJECTOR, paused_job
from lab.terminal.bench import Bench, progress
from lab.terminal.board_client import Probe
from workload.dataset import Entry

T = TypeVar("T")

_PATIENCE_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.05
_REPLAYED: Final = "leaderboard_projection_replayed_total"


@dataclass(frozen=True)
class Outage:
    """What the ranking showed of the watched players, and what was replayed after it.

    `down` is while Redis was away; `behind` when it was back with the projector held; `after`
    when nothing was missing any more, or the patience was over.
    """

    down: tuple[Probe, ...]
    behind: tuple[Probe, ...]
    after: tuple[Probe, ...]
    replayed: int
    unprojected: int


def go_through_outage(
    bench: Bench, watched: Sequence[Entry], write: Callable[[], T]
) -> tuple[T, Outage]:
    """Take Redis away, write, bring it back, look, and let the projector catch up.

    The projector is held from before the outage on, so that what Redis shows when it is back
    is what it had when it went.
    """

    def look() -> tuple[Probe, ...]:
        return tuple(map(bench.client.probe, watched))

    replayed_before = _replayed(bench)
    with paused_job(bench.ledger.path, PROJECTOR):
        progress("shutting Redis down, its data saved")
        server = bench.stack.shut_down_redis()
        written = write()
        down = look()
        progress("starting Redis from its data, the projector held")
        server.begin()
        behind = seen_until(look, _are_seen)
    progress("letting the projector catch up")
    unprojected = bench.ledger.settle()
    after = seen_until(look, lambda probes: _are_seen(probes) and not _recover(probes))
    replayed = _replayed(bench) - replayed_before
    return written, Outage(down, behind, after, replayed, unprojected)


def seen_until(look: Callable[[], T], wanted: Callable[[T], bool]) -> T:
    """Look again until it is what is wanted, or the patience is over; return the last look."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not wanted(seen := look()) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return seen


def _are_seen(probes: Sequence[Probe]) -> bool:
    return all(probe.status == HTTPStatus.OK for probe in probes)


def _recover(probes: Sequence[Probe]) -> bool:
    return any(probe.recovering for probe in probes)


def _replayed(bench: Bench) -> int:
    families = text_string_to_metric_families(bench.client.metrics())
    samples = (sample for family in families for sample in family.samples)
    return sum(int(sample.value) for sample in samples if sample.name == _REPLAYED)
