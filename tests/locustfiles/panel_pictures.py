"""Snapshots of made-up runs for the tests of the panel, and their pictures as text."""

from dataclasses import replace

from locustfiles.live.panel_text import panel_lines
from locustfiles.live.snapshot import (
    Figures,
    Keys,
    OperationRow,
    Phase,
    Snapshot,
    Title,
    Trouble,
)
from workload.assumptions import Assumptions
from workload.model import partition_keys

# level, but for one key that was missed and one that is twice as hot
HITS = (100, 101, 99, 100, 100, 100, 0, 100, 200, 100, 100, 100)

PARTITIONED = Snapshot(
    title=Title("peak", "partitioned", "0.001", 12_000),
    phase=Phase("measured", 24 / 60, "24 of 60 s, 36 s left"),
    recent_seconds=5,
    is_measured_whole=False,
    operations=(
        OperationRow("submit", Figures(240, 239.8, 1.9, 104.6), Figures(240, 238.04, 2.0, 12.1)),
        OperationRow("top", Figures(25, 25, 2.6, 9.8), Figures(25, 25, 2.5, 9.25)),
        OperationRow("around", Figures(75, 74.6, 2.1, None), Figures(75, 74.9, 2.1, 1234.5)),
    ),
    keys=Keys(tuple(zip(partition_keys(Assumptions()), HITS, strict=True)), 12),
    troubles=(
        Trouble("timeout", (("submit", 900), ("around", 304))),
        Trouble("http_5xx", (("top", 3),)),
        Trouble("dropped", (("submit", 40),)),
    ),
    waiting=17,
)

NAIVE = replace(
    PARTITIONED,
    title=Title("peak", "naive", "0.001", 12_000),
    keys=Keys((("lb:global:all:s1", 8_160),), 12),
    troubles=(),
    waiting=0,
)

WARM_UP = replace(
    PARTITIONED,
    phase=Phase("warm-up", 0.4, "2 of 5 s, 3 s left"),
    operations=tuple(replace(row, measured=None) for row in PARTITIONED.operations),
    keys=Keys(tuple((key, 0) for key, _ in PARTITIONED.keys.hits), 12),
    troubles=(),
    waiting=1,
)

WHOLE = replace(
    NAIVE,
    phase=Phase("completed", 1.0, "60 of 60 s measured"),
    is_measured_whole=True,
)

LOADING = replace(
    WARM_UP,
    phase=Phase("loading players", 0.25, "3,000 of 12,000, about 2 s left"),
    operations=tuple(OperationRow(row.name, None, None) for row in PARTITIONED.operations),
    waiting=0,
)

ODOMETER = replace(
    WHOLE,
    title=Title("odometer", None, "0.001", None),
    operations=(
        OperationRow("event_v1", Figures(300, 300, 1.9, 7.1), Figures(300, 300, 2.0, 8.2)),
        OperationRow("event_v2", Figures(300, 299.8, 1.8, 7.4), Figures(300, 300, 1.9, 12.1)),
        OperationRow("event_player", Figures(20, 20, 2.6, None), Figures(20, 20, 2.5, 9.25)),
        OperationRow("races", Figures(1200, 1200, 4.1, 20), Figures(1200, 1199, 4, 1234.5)),
    ),
    keys=Keys((("lb:global:all:s1", 0),), 12),
)


def picture(snapshot: Snapshot, columns: int, rows: int) -> str:
    """The panel as text on a terminal of that size, whose last column and row stay free."""
    lines = panel_lines(snapshot, columns - 1, rows - 1)
    return "".join(f"{line.plain.rstrip()}\n" for line in lines)
