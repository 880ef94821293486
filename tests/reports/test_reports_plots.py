"""The axes of the plots: as many labels as are of use, none touching another."""

import pytest
from matplotlib.axes import Axes

from reports.numbers.histogram import Histogram
from reports.page.plots.panel import Place, figure, log_ms_axis, panel
from reports.page.plots.percentiles import Curve, PercentilePanel, percentile_plot
from reports.page.plots.timeline import time_axis


def _labels(axes: Axes, axis: str = "x") -> list[str]:
    ticks = axes.get_xticklabels() if axis == "x" else axes.get_yticklabels()
    return [tick.get_text() for tick in ticks]


@pytest.mark.parametrize(
    ("lowest", "highest", "labels"),
    [
        (0.5, 22.5, ["0.5 ms", "1 ms", "2 ms", "5 ms", "10 ms", "20 ms"]),
        (1, 4, ["1 ms", "2 ms", "5 ms"]),
        (1, 7_500, ["1 ms", "3 ms", "10 ms", "30 ms", "100 ms", "300 ms", "1 s", "3 s"]),
        (0.01, 60_000, ["0.01 ms", "0.1 ms", "1 ms", "10 ms", "100 ms", "1 s", "10 s"]),
    ],
)
def test_an_axis_of_times_is_labelled_as_densely_as_there_is_room(
    lowest: float, highest: float, labels: list[str]
) -> None:
    """A range of 45 has six labels, one of a million one for each decade."""
    axes = panel(figure(300, 200), Place(0, 0, 300, 150))
    log_ms_axis(axes, lowest, highest, 150)

    assert labels == _labels(axes, "y")


@pytest.mark.parametrize(
    ("answers", "labels"),
    [
        (700, ["0", "90 %", "99 %"]),
        (7_000, ["0", "90 %", "99 %", "99.9 %"]),
        (10_500, ["0", "90 %", "99 %", "99.9 %"]),
        (31_500, ["0", "90 %", "99 %", "99.9 %", "99.99 %"]),
        (21_000_000, ["0", "90 %", "99 %", "99.99 %"]),
    ],
)
def test_percentile_labels_touch_neither_one_another_nor_the_next_plot(
    answers: int, labels: list[str]
) -> None:
    """Where there is no room for all, some are left out."""
    histogram = Histogram({1_000 + number: answers // 700 for number in range(700)})
    panels = [PercentilePanel(name, [Curve(histogram, "#010101")]) for name in "abc"]

    assert [labels] * 3 == [_labels(axes) for axes in percentile_plot(panels, None, 840).axes]


@pytest.mark.parametrize(
    ("end", "labels"),
    [
        (60, ["0 s", "5 s", "60 s"]),
        (3_600, ["0 min", "5 min", "60 min"]),
        (86_400, ["0 h", "2 h", "24 h"]),
        (604_800, ["0 h", "24 h", "168 h"]),
    ],
)
def test_time_is_told_in_the_unit_of_the_run(end: int, labels: list[str]) -> None:
    """Nobody has to divide 86,400 seconds."""
    axes = panel(figure(900, 200), Place(0, 0, 784, 150))
    time_axis(axes, end, 784)
    found = _labels(axes)

    assert labels == [found[0], found[1], found[-1]]
