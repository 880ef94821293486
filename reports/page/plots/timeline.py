"""Latency, completions and a drill's answers second by second."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.numbers.span import runs_of
from reports.page.plots.panel import (
    ACCENT,
    BAD,
    FONT_PX,
    INK,
    LETTER_PX,
    LINE,
    MUTED,
    SOFT,
    WARN,
    Place,
    figure,
    fitting,
    log_ms_axis,
    panel,
)

_LEFT, _RIGHT, _TOP, _GAP, _BOTTOM = 48, 8, 30, 40, 28
_LATENCY, _STRIP = 150, 64
_MINUTE, _HOUR = 60, 3_600
_TICKS = (
    *(1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800),
    *(hours * _HOUR for hours in (1, 2, 4, 6, 12, 24, 48, 168)),
)
_IN_SECONDS, _IN_MINUTES = 600, 5_400
_LABEL_PX = 62
_HEADROOM = 1.3
_LEAST_MARK_PX = 4

Numbers = Sequence[float | None]


@dataclass(frozen=True)
class Latency:
    """All operations together: times in ms for each point, None where nothing was answered."""

    p50_ms: Numbers
    p99_ms: Numbers
    max_ms: Numbers


@dataclass(frozen=True)
class Strip:
    """One operation: requests offered, answers and failures a second, for each point."""

    operation: str
    offered: Sequence[float]
    completed: Sequence[float]
    failed: Sequence[float]
    stalled: Sequence[int]


@dataclass(frozen=True)
class Timeline:
    """What is drawn, over `shown` seconds of which the first `planned` are the measured phase.

    A point stands for `step` seconds; a stall is a second of its own all the same.
    """

    latency: Latency
    strips: Sequence[Strip]
    planned: int
    measured: int
    shown: int
    faults: Sequence[tuple[float, float]] = ()
    step: int = 1
    left_out: int = 0

    @property
    def end(self) -> int:
        """Where the time axis ends."""
        return max(self.shown, self.planned, 1)


def timeline_plot(timeline: Timeline, width: int) -> Figure:
    """One panel of latency above a strip of completions for each operation."""
    height = _TOP + _LATENCY + len(timeline.strips) * (_GAP + _STRIP) + _BOTTOM
    drawing = figure(width, height)
    inner = width - _LEFT - _RIGHT
    each = "each second" if timeline.step == 1 else f"over {timeline.step} s"
    latency = panel(drawing, Place(_LEFT, _TOP, inner, _LATENCY), f"Response time {each}")
    _draw_latency(latency, timeline)
    every = [latency]
    for number, strip in enumerate(timeline.strips):
        top = _TOP + _LATENCY + _GAP + number * (_STRIP + _GAP)
        title = f"{fitting(strip.operation, inner / 2)}: answers a second"
        axes = panel(drawing, Place(_LEFT, top, inner, _STRIP), title, grid="")
        _draw_strip(axes, strip, edges(len(strip.offered), timeline.step, timeline.shown))
        _mark_stalls(axes, strip.stalled, _LEAST_MARK_PX * timeline.end / inner)
        every.append(axes)
    for axes in every:
        time_axis(axes, timeline.end, inner)
        mark_faults(axes, timeline.faults)
        _mark_phases(axes, timeline)
        axes.set_xticklabels([]) if axes is not every[-1] else None
    return drawing


def edges(points: int, step: int, end: int) -> list[int]:
    """Where each point begins, and where the last one ends."""
    return [min(number * step, max(end, 1)) for number in range(points + 1)]


def _draw_latency(axes: Axes, timeline: Timeline) -> None:
    latency = timeline.latency
    shown = [value for value in (*latency.p50_ms, *latency.max_ms) if value]
    if not shown:
        axes.set_yticks([])
        axes.text(
            0.5,
            0.5,
            "no request was answered well",
            color=MUTED,
            fontsize=FONT_PX,
            ha="center",
            transform=axes.transAxes,
        )
        return
    log_ms_axis(axes, min(shown), max(shown), _LATENCY)
    begun = edges(len(latency.max_ms), timeline.step, timeline.shown)
    middle = [(start + end) / 2 for start, end in pairwise(begun)]
    _line(axes, middle, latency.max_ms, ACCENT, 1)
    _line(axes, middle, latency.p99_ms, ACCENT, 2)
    _line(axes, middle, latency.p50_ms, INK, 1.5)


def _line(axes: Axes, middle: Sequence[float], values: Numbers, colour: str, width: float) -> None:
    # NaN breaks the line: a second without a figure is a gap, not a slope across it.
    points = [float("nan") if value is None else value for value in values]
    axes.plot(middle, points, color=colour, linewidth=width, solid_joinstyle="round")


def _draw_strip(axes: Axes, strip: Strip, begun: Sequence[int]) -> None:
    highest = max((1, *strip.offered))
    # The burst after a stall is cut off at the top, so that it does not flatten all the rest.
    axes.set_ylim(0, highest * _HEADROOM)
    axes.set_yticks([highest], [f"{highest:,.0f}"])
    _steps(axes, begun, strip.completed, SOFT)
    axes.step(begun, closed(strip.offered), where="post", color=MUTED, linewidth=0.9)
    if any(strip.failed):
        _steps(axes, begun, strip.failed, BAD)


def _mark_stalls(axes: Axes, stalled: Sequence[int], least_seconds: float) -> None:
    """Tint the stalled seconds, and mark them at the top where a long run makes them very thin."""
    half = least_seconds / 2
    for first, last in runs_of(stalled):
        axes.axvspan(first, last + 1, color=WARN, alpha=0.28, linewidth=0, zorder=0.5)
        middle = (first + last + 1) / 2
        reach = max((last + 1 - first) / 2, half)
        axes.axvspan(middle - reach, middle + reach, 0.92, 1, color=WARN, linewidth=0)


def _steps(axes: Axes, begun: Sequence[int], values: Sequence[float], colour: str) -> None:
    axes.fill_between(begun, closed(values), step="post", color=colour, linewidth=0)


def closed(values: Sequence[float]) -> list[float]:
    """Steps need the right edge of the last second too."""
    return [*values, values[-1]] if values else [0]


def mark_faults(axes: Axes, faults: Sequence[tuple[float, float]]) -> None:
    """Shade the time of each fault."""
    for begun, ended in faults:
        axes.axvspan(begun, ended, color=BAD, alpha=0.16, linewidth=0, zorder=0.4)
        axes.axvline(begun, color=BAD, linewidth=0.8)


def time_axis(axes: Axes, end: int, inner: float) -> None:
    """Time of the schedule from 0 to the end, as many labels as there is room for."""
    axes.set_xlim(0, end)
    step = next((one for one in _TICKS if end / one * _LABEL_PX <= inner), _TICKS[-1])
    ticks = [*range(0, end + 1, step)]
    labels = [_moment(tick, end) for tick in ticks]
    axes.set_xticks(ticks, labels)
    if (end - ticks[-1]) / end * inner < len(labels[-1]) * LETTER_PX / 2:
        axes.get_xticklabels()[-1].set_horizontalalignment("right")


def _moment(second: int, end: int) -> str:
    if end <= _IN_SECONDS:
        return f"{second} s"
    if end <= _IN_MINUTES:
        return f"{second / _MINUTE:g} min"
    return f"{second / _HOUR:g} h"


def _mark_phases(axes: Axes, timeline: Timeline) -> None:
    if timeline.measured < timeline.planned:
        axes.axvspan(timeline.measured, timeline.planned, color=LINE, alpha=0.45, linewidth=0)
    if timeline.end > timeline.planned:
        axes.axvline(timeline.planned, color=MUTED, linewidth=0.8, linestyle=(0, (1, 2)))


_LEFT, _RIGHT, _TOP, _GAP, _BOTTOM, _STRIP = 48, 8, 30, 40, 28, 84


@dataclass(frozen=True)
class Answers:
    """Answers a second at each point: as usual, behind, and none; one upon the other."""

    title: str
    usual: Sequence[float]
    behind: Sequence[float]
    failed: Sequence[float]


@dataclass(frozen=True)
class DrillPicture:
    """Writes and reads, and the worst backlog of each point, None where nobody looked."""

    answers: Sequence[Answers]
    backlog: Sequence[float | None]
    top_age_seconds: Sequence[float | None]
    faults: Sequence[tuple[float, float]]
    end: int
    step: int = 1


def drill_plot(picture: DrillPicture, width: int) -> Figure:
    """A strip for writes, for reads, for the backlog, and for the top's age where it is known."""
    lines = _lines(picture)
    strips = len(picture.answers) + len(lines)
    drawing = figure(width, _TOP + strips * _STRIP + (strips - 1) * _GAP + _BOTTOM)
    inner = width - _LEFT - _RIGHT
    titles = [*(one.title for one in picture.answers), *lines]
    every = [
        panel(drawing, Place(_LEFT, _TOP + number * (_STRIP + _GAP), inner, _STRIP), title, grid="")
        for number, title in enumerate(titles)
    ]
    for axes, answers in zip(every, picture.answers, strict=False):
        _draw_answers(axes, answers, edges(len(answers.usual), picture.step, picture.end))
    for axes, values in zip(every[len(picture.answers) :], lines.values(), strict=True):
        _draw_line(axes, values, picture.step)
    for axes in every:
        time_axis(axes, max(picture.end, 1), inner)
        mark_faults(axes, picture.faults)
        axes.set_xticklabels([]) if axes is not every[-1] else None
    return drawing


def _lines(picture: DrillPicture) -> dict[str, Sequence[float | None]]:
    lines: dict[str, Sequence[float | None]] = {"Changes not known to be in Redis": picture.backlog}
    if any(value is not None for value in picture.top_age_seconds):
        lines["Age of the top K in seconds"] = picture.top_age_seconds
    return lines


def _draw_answers(axes: Axes, answers: Answers, begun: Sequence[int]) -> None:
    floor: list[float] = [0] * len(answers.usual)
    for values, colour in ((answers.failed, BAD), (answers.behind, WARN), (answers.usual, SOFT)):
        top = [low + value for low, value in zip(floor, values, strict=True)]
        axes.fill_between(begun, closed(floor), closed(top), step="post", color=colour, linewidth=0)
        floor = top
    _scale(axes, floor)


def _draw_line(axes: Axes, values: Sequence[float | None], step: int) -> None:
    middle = [(number + 0.5) * step for number in range(len(values))]
    # NaN breaks the line: a second without a figure is a gap.
    points = [float("nan") if value is None else value for value in values]
    axes.plot(middle, points, color=INK, linewidth=1.5, solid_joinstyle="round")
    _scale(axes, [value for value in values if value is not None])


def _scale(axes: Axes, values: Sequence[float]) -> None:
    highest = max((1, *values))
    axes.set_ylim(0, highest * 1.1)
    axes.set_yticks([highest], [f"{highest:,.0f}"])
