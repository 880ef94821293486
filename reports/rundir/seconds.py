"""Every recorded second of a run: those of seconds.jsonl, then those of measurements.json.

A day has a quarter of a million of them, each with a histogram, so they are read one after the
other and never held together: what is kept of a second are its figures, in columns.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import nan
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

import msgspec

from reports.numbers.histogram import PERCENTILES, Histogram
from reports.rundir.files import UnusableFile, open_inside, readable_json
from reports.rundir.measurements import Count, Measurements, Second, histogram_hook

SECONDS_JSONL = "seconds.jsonl"
COUNTS = ("offered", "sent", "dropped", "ok", "failed", "completed")
TIMES = ("p50_ms", "p99_ms", "max_ms")
NOT_READ = -1
MOST_POINTS = 3_600
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)
# A week; the columns of a run take as much memory as its last second asks for.
_LAST_SECOND = 604_800
_LONGEST_LINE = 2**24
_PLACE = re.compile(rb'\{"second":(\d{1,7}),')


class Line(Second, frozen=True):
    """One line: a second of one operation, or the hits of the keys in a second."""

    operation: str | None = None
    hits: dict[str, dict[str, Count]] | None = None


_DECODER = msgspec.json.Decoder(Line, dec_hook=histogram_hook)


@dataclass
class Column:
    """The figures of one operation by second; nothing is known of a second not `recorded`."""

    recorded: bytearray = field(default_factory=bytearray)
    counts: dict[str, "array[int]"] = field(
        default_factory=lambda: {name: array("Q") for name in COUNTS}
    )
    times: dict[str, "array[float]"] = field(
        default_factory=lambda: {name: array("d") for name in TIMES}
    )

    def note(self, found: Sequence[Second]) -> Histogram:
        """Keep the figures of a second, whose lines add up; returns its response times."""
        second = found[0].second
        missing = second + 1 - len(self.recorded)
        self.recorded.extend(bytes(missing))
        for counts in self.counts.values():
            counts.extend([0] * missing)
        for times in self.times.values():
            times.extend([nan] * missing)
        self.recorded[second] = True
        for name, counts in self.counts.items():
            counts[second] = sum(getattr(one, name) for one in found)
        merged = found[0].response_us
        if len(found) > 1:
            merged = Histogram.merged(one.response_us for one in found)
        for name, value in zip(TIMES, _times(merged), strict=True):
            self.times[name][second] = nan if value is None else value
        return merged


@dataclass
class Seconds:
    """What is known of every second; `latency` is of all operations, `step` seconds a point."""

    path: Path
    measurements: Measurements
    step: int = 1
    operations: dict[str, Column] = field(default_factory=dict)
    latency: list[tuple[float | None, ...]] = field(default_factory=list)
    hits: dict[tuple[str, str], "array[int]"] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """One more than the last second that was recorded."""
        return max((len(one.recorded) for one in self.operations.values()), default=0)

    def merged(self, operation: str, seconds: range) -> Histogram:
        """The response times of some seconds of one operation together."""
        return Histogram.merged(
            line.response_us
            for line in _lines(self.path, self.measurements)
            if line.operation == operation and line.second in seconds
        )


def read_seconds(path: Path, measurements: Measurements, duration_seconds: int) -> Seconds:
    """Read all seconds of a run once, in order.

    Raises:
        ValueError: a line cannot be used, or lines are missing; with a sentence.
        OSError: the file cannot be read.
    """
    found = Seconds(path, measurements, step_of(duration_seconds))
    operations = {name: Column() for name in measurements.operations}
    point: list[Histogram] = []
    for second, lines in groupby(_lines(path, measurements), attrgetter("second")):
        if second > _LAST_SECOND:
            raise ValueError(f"it holds second {second:,}, and no run is that long")
        while second // found.step > len(found.latency):
            found.latency.append(_times(Histogram.merged(point)))
            point = []
        by_operation: dict[str, list[Second]] = {}
        for line in lines:
            if line.operation in operations:
                by_operation.setdefault(line.operation, []).append(line)
            for key, ops in (line.hits or {}).items():
                _note_hits(found.hits, key, ops, second)
        point += [operations[name].note(one) for name, one in by_operation.items()]
    found.latency.append(_times(Histogram.merged(point)))
    found.operations = operations
    return found


def step_of(duration_seconds: int) -> int:
    """How many seconds are one point of a plot: one within an hour, more in a longer run."""
    return next((one for one in _STEPS if duration_seconds <= one * MOST_POINTS), _STEPS[-1])


def _times(response_us: Histogram) -> tuple[float | None, ...]:
    return (
        response_us.percentile_ms(PERCENTILES["p50_ms"]),
        response_us.percentile_ms(PERCENTILES["p99_ms"]),
        response_us.max_ms,
    )


def _note_hits(
    columns: dict[tuple[str, str], "array[int]"], key: str, ops: dict[str, int], second: int
) -> None:
    for op, count in ops.items():
        column = columns.setdefault((key, op), array("q"))
        column.extend([NOT_READ] * (second + 1 - len(column)))
        column[second] = max(column[second], 0) + count


def _lines(path: Path, measurements: Measurements) -> Iterator[Line]:
    """Every line in the order of its second; what came late is put in its place."""
    yield from _settled(path / SECONDS_JSONL, measurements.settled.bytes)
    rest = [
        Line(operation=name, **msgspec.structs.asdict(one))
        for name, operation in measurements.operations.items()
        for one in operation.seconds
    ]
    rest += [Line(second=one.second, hits=one.hits) for one in measurements.keys.seconds]
    yield from sorted(rest, key=attrgetter("second"))


def _opened(path: Path) -> BinaryIO:
    try:
        return open_inside(path.parent, path.name)
    except UnusableFile as error:
        raise ValueError(str(error)) from None


def _settled(path: Path, length: int) -> Iterator[Line]:
    """The lines within the length that measurements.json tells; later ones it holds itself."""
    if not length:
        return
    with _opened(path) as file:
        places, at = [], 0
        while at < length:
            line = file.readline(_LONGEST_LINE)
            found = _PLACE.match(line)
            at += len(line)
            if found is None or not line.endswith(b"\n") or at > length:
                raise ValueError(f"{path.name} is cut off or not what was written, at byte {at}")
            places.append((int(found[1]), at - len(line)))
        for _, place in sorted(places):
            file.seek(place)
            try:
                yield _DECODER.decode(readable_json(file.readline(_LONGEST_LINE)))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise ValueError(f"a line of {path.name} cannot be used: {error}") from error
