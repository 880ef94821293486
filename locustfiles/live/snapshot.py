"""What the panel shows at one instant, read from a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor
from typing import Final

from locustfiles.live.run_view import RunView
from locustfiles.recording.buckets import Counts, add_counts, highest_of, percentile
from locustfiles.recording.recording import OperationRecord


@dataclass(frozen=True)
class Title:
    """The run by name; the mode and the players are None where no board is touched."""

    scenario: str
    mode: str | None
    scale: str
    players: int | None


@dataclass(frozen=True)
class Phase:
    """Where the run is; `done` is a share, None where it is not known."""

    name: str
    done: float | None
    words: str


@dataclass(frozen=True)
class Figures:
    """One operation over some seconds; a percentile is None with too few answers behind it."""

    offered_per_second: float
    achieved_per_second: float
    p50_ms: float | None
    p99_ms: float | None


@dataclass(frozen=True)
class OperationRow:
    """One operation in its last seconds and in the measured phase; None before there are any."""

    name: str
    recent: Figures | None
    measured: Figures | None


@dataclass(frozen=True)
class Keys:
    """The hits of every key since the measured phase began, in the order of the model."""

    hits: tuple[tuple[str, int], ...]
    partitions: int

    @property
    def total(self) -> int:
        """The hits of all keys."""
        return sum(hits for _, hits in self.hits)

    @property
    def fair_share(self) -> float:
        """What each key would get if all that should share the load were equal."""
        return 1 / self.partitions

    def share(self, hits: int) -> float:
        """A key's part of all hits; nothing is known before the first."""
        return hits / self.total if self.total else 0.0


@dataclass(frozen=True)
class Trouble:
    """Requests of one phase that failed in one way, or were dropped, by operation."""

    kind: str
    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """The requests of all operations."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True)
class Snapshot:
    """Everything on the panel; troubles and waiting are of the current phase."""

    title: Title
    phase: Phase
    recent_seconds: int
    is_measured_whole: bool
    operations: tuple[OperationRow, ...]
    keys: Keys
    troubles: tuple[Trouble, ...]
    waiting: int

    @property
    def touches_boards(self) -> bool:
        """Whether the run is about boards at all."""
        return self.title.mode is not None

    @property
    def measured_words(self) -> str:
        """What the figures of the measured phase are of."""
        return "measured phase" if self.is_measured_whole else "measured phase so far"


def current_phase(view: RunView, now_seconds: float, counted_until: int, waiting: int) -> Phase:
    """The phase at a time on the schedule's clock, or since the loading began before there is one.

    The counters of a run that is stopping or over say how much of it there is: up to a second.
    """
    if view.ended is not None:
        measured, duration = max(counted_until, 0), view.plan.duration_seconds
        measured = min(measured, duration)
        return Phase(view.ended, measured / duration, f"{measured} of {_span(duration)} measured")
    reason = view.why_stopping()
    if reason is not None:
        return Phase("stopping", None, f"{reason}; {_awaited(waiting)}")
    if view.clock is None:
        return _before_the_start(view, now_seconds)
    return _on_schedule(view, now_seconds, waiting)


def _before_the_start(view: RunView, loading_seconds: float) -> Phase:
    loaded, players = view.loading.ok, view.loading.players
    if loaded == players:
        return Phase("starting", None, "opening connections")
    words = f"{loaded:,} of {players:,}"
    if loaded:
        left = ceil(loading_seconds * (players - loaded) / loaded)
        words += f", about {_span(left)} left"
    return Phase("loading players", loaded / players, words)


def _on_schedule(view: RunView, now_seconds: float, waiting: int) -> Phase:
    warmup, duration = view.plan.warmup_seconds, view.plan.duration_seconds
    if now_seconds < -warmup:
        return Phase("starting", None, "at the next whole second")
    if now_seconds < 0:
        return _timed("warm-up", now_seconds + warmup, warmup)
    if now_seconds < duration:
        return _timed("measured", now_seconds, duration)
    # a request's own limits bound how long its answer is waited for
    load = view.plan.load
    limit = load.deadline_seconds + load.request_timeout_seconds
    left = max(ceil(limit - (now_seconds - duration)), 0)
    return Phase("drain", None, f"{_awaited(waiting)}, at most {_span(left)}")


def _timed(name: str, begun_seconds: float, length_seconds: int) -> Phase:
    whole = int(begun_seconds)
    words = f"{whole} of {_span(length_seconds)}, {_span(length_seconds - whole)} left"
    return Phase(name, whole / length_seconds, words)


def _awaited(waiting: int) -> str:
    return "waiting for 1 answer" if waiting == 1 else f"waiting for {waiting:,} answers"


def _span(seconds: int) -> str:
    """A length of time in seconds, or from an hour on in hours and minutes."""
    if seconds < 3600:  # noqa: PLR2004  an hour
        return f"{seconds} s"
    return f"{seconds // 3600} h {seconds // 60 % 60:02} min"


@dataclass
class Totals:
    """The counters of some seconds of one operation."""

    offered: int = 0
    dropped: int = 0
    ok: int = 0
    failed: int = 0
    achieved: int = 0

    @property
    def waiting(self) -> int:
        """The requests without an outcome."""
        return self.offered - self.dropped - self.ok - self.failed


def totals_of(record: OperationRecord, phase: range, second: int) -> Totals:
    """The totals of a phase as they are at the start of a second, later ones' answers left out."""
    settled = record.warmup if phase.start < 0 else record.measured
    shown = range(phase.start, min(second, phase.stop))
    seconds = [settled.counts, *(one for at, one in record.seconds.items() if at in shown)]
    return Totals(
        sum(one.offered for one in seconds),
        sum(one.dropped for one in seconds),
        sum(one.ok for one in seconds),
        sum(one.failed for one in seconds),
        sum(one.achieved for one in seconds),
    )


RECENT_SECONDS: Final = 5
# A percentile p says something from 1 / (1 - p) answers on, as in every table of a run.
_P50_ANSWERS: Final = 2
_P99_ANSWERS: Final = 100


class PanelSource:
    """Reads a run; its rates are of whole seconds, none of which a stop has cut short."""

    def __init__(self, view: RunView) -> None:
        plan = view.plan
        self._view = view
        self._warmup = range(-plan.warmup_seconds, 0)
        self._measured = range(plan.duration_seconds)
        self._second = self._warmup.start

    def snapshot(self, loading_seconds: float) -> Snapshot:
        """The run now; before its clock starts, so many seconds after its loading began."""
        view, clock = self._view, self._view.clock
        now = loading_seconds if clock is None else clock.now_seconds()
        if clock is not None and view.why_stopping() is None:
            self._second = floor(now)
        phase = self._warmup if self._second < 0 else self._measured
        records = view.recording.operations
        shown = self._phase_totals(phase, self._second)
        # what became of the last requests counts although their second is not whole
        all_so_far = self._phase_totals(phase, floor(now) + 1)
        waiting = sum(one.waiting for one in all_so_far.values())
        return Snapshot(
            title=_title(view),
            phase=current_phase(view, now, self._second, waiting),
            recent_seconds=RECENT_SECONDS,
            is_measured_whole=self._second >= self._measured.stop,
            operations=tuple(
                OperationRow(name, self._recent(record), self._whole(record, shown[name]))
                for name, record in records.items()
            ),
            keys=self._keys(),
            troubles=(*_failures(records, phase), *_drops(all_so_far)),
            waiting=waiting,
        )

    def _phase_totals(self, phase: range, second: int) -> dict[str, Totals]:
        return {
            name: totals_of(record, phase, second)
            for name, record in self._view.recording.operations.items()
        }

    def _recent(self, record: OperationRecord) -> Figures | None:
        """The last seconds of the schedule, whichever phase they lie in."""
        end = min(self._second, self._measured.stop)
        start = max(end - RECENT_SECONDS, self._warmup.start)
        if start >= end:
            return None
        seconds = [one for at in range(start, end) if (one := record.seconds.get(at)) is not None]
        response_us: Counts = {}
        for one in seconds:
            add_counts(response_us, one.response_us)
        offered = sum(one.offered for one in seconds)
        achieved = sum(one.achieved for one in seconds)
        return _figures(offered, achieved, end - start, response_us)

    def _whole(self, record: OperationRecord, totals: Totals) -> Figures | None:
        """The measured phase as far as it has come."""
        seconds = min(self._second, self._measured.stop)
        if seconds <= 0:
            return None
        return _figures(totals.offered, totals.achieved, seconds, record.response_us)

    def _keys(self) -> Keys:
        found = self._view.measured_hits()
        names = dict.fromkeys((*self._view.keys, *found))
        # a service that was started anew counts from zero again
        hits = tuple((name, max(sum(found.get(name, {}).values()), 0)) for name in names)
        return Keys(hits, self._view.partitions)


def _title(view: RunView) -> Title:
    plan = view.plan
    # as one writes it by hand: what reaches a run from Python may have an exponent
    scale = f"{Decimal(plan.scale):f}"
    if not plan.needs_boards:
        return Title(view.scenario, None, scale, None)
    return Title(view.scenario, view.mode, scale, plan.players)


def _figures(offered: int, achieved: int, seconds: int, response_us: Counts) -> Figures:
    return Figures(
        offered / seconds,
        achieved / seconds,
        _percentile_ms(response_us, 0.5, _P50_ANSWERS),
        _percentile_ms(response_us, 0.99, _P99_ANSWERS),
    )


def _percentile_ms(response_us: Counts, fraction: float, least_answers: int) -> float | None:
    """The percentile; None with fewer answers than it needs."""
    bucket = percentile(response_us, fraction)
    if bucket is None or sum(response_us.values()) < least_answers:
        return None
    return highest_of(bucket) / 1000


def _failures(records: dict[str, OperationRecord], phase: range) -> Iterator[Trouble]:
    counts: dict[str, dict[str, int]] = {}
    for name, record in records.items():
        settled = record.warmup if phase.start < 0 else record.measured
        for kind in dict.fromkeys((*settled.failures, *record.failures)):
            by_second = record.failures.get(kind, {})
            count = sum(count for second, count in by_second.items() if second in phase)
            if kind in settled.failures:
                count += settled.failures[kind].count
            if count:
                counts.setdefault(kind, {})[name] = count
    for kind, by_operation in counts.items():
        yield Trouble(kind, tuple(by_operation.items()))


def _drops(totals: dict[str, Totals]) -> Iterator[Trouble]:
    dropped = {name: one.dropped for name, one in totals.items() if one.dropped}
    if dropped:
        yield Trouble("dropped", tuple(dropped.items()))
