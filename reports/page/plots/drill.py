"""What clients were answered during a drill, second by second, and how far Redis was behind."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.page.plots.panel import Place, panel
from reports.page.plots.svg import BAD, INK, SOFT, WARN, figure
from reports.page.plots.timeline import closed, edges, mark_faults, time_axis

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
