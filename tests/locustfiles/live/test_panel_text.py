from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_pictures import LOADING, NAIVE, ODOMETER, PARTITIONED, WARM_UP, WHOLE, picture

from locustfiles.live.panel_text import panel_lines
from locustfiles.live.snapshot import Snapshot

GOLDEN = Path(__file__).parents[1] / "golden_panels"
EVERY = (LOADING, WARM_UP, PARTITIONED, NAIVE, WHOLE, ODOMETER)


@pytest.mark.parametrize(
    ("name", "snapshot", "columns", "rows"),
    [
        pytest.param("partitioned-80x24", PARTITIONED, 80, 24, id="two columns of bars"),
        pytest.param("partitioned-80x40", PARTITIONED, 80, 40, id="one column where it fits"),
        pytest.param("partitioned-200x50", PARTITIONED, 200, 50, id="wide"),
        pytest.param("partitioned-80x14", PARTITIONED, 80, 14, id="a short terminal"),
        pytest.param("partitioned-60x12", PARTITIONED, 60, 12, id="a small terminal"),
        pytest.param("naive-80x24", NAIVE, 80, 24, id="naive"),
        pytest.param("naive-200x50", NAIVE, 200, 50, id="naive and wide"),
        pytest.param("loading-80x24", LOADING, 80, 24, id="loading"),
        pytest.param("warm-up-80x24", WARM_UP, 80, 24, id="warm-up"),
        pytest.param("whole-80x24", WHOLE, 80, 24, id="the last picture"),
        pytest.param("odometer-80x24", ODOMETER, 80, 24, id="long names, and no boards"),
        pytest.param("odometer-200x50", ODOMETER, 200, 50, id="long names, and wide"),
    ],
)
def test_the_picture_of_a_run(name: str, snapshot: Snapshot, columns: int, rows: int) -> None:
    """Every size shows as much as fits, and what is left out goes in order of weight."""
    expected = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")

    assert expected == picture(snapshot, columns, rows)


@settings(deadline=None)  # under load a frame may take its time
@given(st.sampled_from(EVERY), st.integers(0, 300), st.integers(0, 80))
def test_no_picture_is_larger_than_its_terminal(
    snapshot: Snapshot, width: int, height: int
) -> None:
    """Neither a narrow nor a short terminal is written past its end."""
    lines = panel_lines(snapshot, width, height)

    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines)


@pytest.mark.parametrize("columns", [80, 120, 200])
@pytest.mark.parametrize("snapshot", EVERY)
def test_the_head_of_a_picture_is_never_left_out(snapshot: Snapshot, columns: int) -> None:
    """What runs, in which phase, and that it is not a capacity stand there even in three rows."""
    shown = picture(snapshot, columns, 4)

    assert snapshot.title.scenario in shown
    assert snapshot.phase.words in shown
    assert "not a capacity" in shown


@pytest.mark.parametrize(
    ("snapshot", "words"),
    [
        (WARM_UP, "read from the service's counters in the measured phase"),
        (replace(WHOLE, keys=WARM_UP.keys), "the service's counters show none"),
        (replace(WARM_UP, title=ODOMETER.title), "this scenario touches no board key"),
    ],
)
@pytest.mark.parametrize("rows", [24, 10])
def test_a_picture_without_hits_says_why(snapshot: Snapshot, words: str, rows: int) -> None:
    """There are none yet, the counters show none, or there can be none; on few lines too."""
    assert f"\nhits per key: {words}\n" in picture(snapshot, 80, rows)


def test_the_hot_stand_out() -> None:
    """A bar's colour tells a hot key from level ones, beside its figures."""
    colours = {
        line.plain.split()[0]: str(line.spans[0].style)
        for line in panel_lines(PARTITIONED, 79, 39)
        if line.plain.startswith("lb:")
    }

    assert "red" == colours.pop("lb:eu:squad:s1")
    assert ["green"] * 11 == list(colours.values())
