"""Takes snapshots of a run for the panel."""

from collections.abc import Iterator
from decimal import Decimal
from math import floor
from typing import Final

from locustfiles.buckets import Counts, add_counts, highest_of, percentile
from locustfiles.panel_phases import current_phase
from locustfiles.panel_snapshot import Figures, Keys, OperationRow, Snapshot, Title, Trouble
from locustfiles.panel_totals import Totals, totals_of
from locustfiles.recording import OperationRecord
from locustfiles.run_view import RunView

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
        cells = [cell for at in range(start, end) if (cell := record.cells.get(at)) is not None]
        response_us: Counts = {}
        for cell in cells:
            add_counts(response_us, cell.response_us)
        offered = sum(cell.offered for cell in cells)
        achieved = sum(cell.achieved for cell in cells)
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
