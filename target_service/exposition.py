"""The text that Prometheus scrapes, written fast enough to be asked for every second.

The library writes every name and label anew for each scrape, and parses them anew for each worker.
They are a closed set here, so each line's head is written once and only its value each time.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from pathlib import Path
from typing import Any, Final

from prometheus_client import CollectorRegistry, Histogram, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.utils import floatToGoString

_ESCAPED: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_ESCAPED_HELP: Final = str.maketrans({"\\": r"\\", "\n": r"\n"})

Labels = Mapping[str, str]
_number: Final[Callable[[float], str]] = floatToGoString


def _header(name: str, kind: str, words: str) -> str:
    shown = f"{name}_total" if kind == "counter" else name
    return f"# HELP {shown} {words.translate(_ESCAPED_HELP)}\n# TYPE {shown} {kind}\n"


def _head(name: str, labels: Labels) -> str:
    inner = ",".join(f'{key}="{labels[key].translate(_ESCAPED)}"' for key in sorted(labels))
    return f"{name}{{{inner}}} " if inner else f"{name} "


class OwnSeries:
    """The series of one process.

    Nine lines in ten are buckets, and the library makes objects of each before they are written:
    they are read from where it keeps them. A test compares every byte with what it writes itself.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._collectors: Any = registry._collector_to_names  # noqa: SLF001  as said above
        self._heads: dict[tuple[str, ...], str] = {}
        self._histogram_heads: dict[tuple[str, ...], list[str]] = {}

    def text(self) -> str:
        """All of them."""
        return "".join(self._all_pieces())

    def written(self, metrics: Iterable[Metric]) -> str:
        """The text of some metrics."""
        return "".join(self._pieces(metrics))

    def _all_pieces(self) -> Iterator[str]:
        for collector in list(self._collectors):
            if isinstance(collector, Histogram) and hasattr(collector, "_metrics"):
                yield from self._histogram(collector)
            else:
                yield from self._pieces(collector.collect())

    def _histogram(self, histogram: Any) -> Iterator[str]:  # noqa: ANN401  its inside has no types
        name = histogram._name  # noqa: SLF001  as said above
        yield _header(name, "histogram", histogram._documentation)  # noqa: SLF001
        for values, child in histogram._metrics.copy().items():  # noqa: SLF001
            known_by = (name, *values)
            heads = self._histogram_heads.get(known_by)
            if heads is None:
                labels = dict(zip(histogram._labelnames, values, strict=True))  # noqa: SLF001
                bounds = map(_number, child._upper_bounds)  # noqa: SLF001
                heads = [_head(f"{name}_bucket", {**labels, "le": bound}) for bound in bounds]
                heads += [_head(f"{name}_count", labels), _head(f"{name}_sum", labels)]
                self._histogram_heads[known_by] = heads
            counts = list(accumulate(bucket.get() for bucket in child._buckets))  # noqa: SLF001
            numbers = (*counts, counts[-1], child._sum.get())  # noqa: SLF001
            for head, number in zip(heads, numbers, strict=True):
                yield f"{head}{_number(number)}\n"

    def _pieces(self, metrics: Iterable[Metric]) -> Iterator[str]:
        heads = self._heads
        for metric in metrics:
            yield _header(metric.name, metric.type, metric.documentation)
            for sample in metric.samples:
                known_by = (sample.name, *sample.labels.values())
                head = heads.get(known_by)
                if head is None:
                    head = heads[known_by] = _head(sample.name, sample.labels)
                yield f"{head}{_number(sample.value)}\n"


@dataclass(frozen=True)
class _Histogram:
    """The lines of one histogram: its buckets by their keys, in the order of their bounds."""

    buckets: tuple[tuple[str, str], ...]
    count: str
    sum: tuple[str, str]

    def lines(self, values: Mapping[str, float]) -> Iterator[str]:
        sums = list(accumulate(values[key] for key, _ in self.buckets))
        for (_, head), value in zip(self.buckets, sums, strict=True):
            yield f"{head}{_number(value)}\n"
        yield f"{self.count}{_number(sums[-1])}\n"
        key, head = self.sum
        yield f"{head}{_number(values[key])}\n"


@dataclass(frozen=True)
class _Counter:
    key: str
    head: str

    def lines(self, values: Mapping[str, float]) -> Iterator[str]:
        yield f"{self.head}{_number(values[self.key])}\n"


# The lines below each metric's header, in the order in which they are written.
Layout = dict[str, list[_Counter | _Histogram]]


class SharedSeries:
    """The series of all workers, which share a folder: counters and histograms add up.

    Gauges are few and have rules of their own, which stay the library's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._gauges = OwnSeries(CollectorRegistry())
        self._layout: Layout = {}
        # The keys that the layout is of: it is made anew when a worker has got another one.
        self._laid_out: frozenset[str] = frozenset()

    def text(self) -> str:
        """All of them."""
        files = sorted(self._folder.glob("*.db"))
        gauges = [str(file) for file in files if file.name.startswith("gauge_")]
        merged = MultiProcessCollector.merge(gauges)  # type: ignore[no-untyped-call]  # left bare
        return self._gauges.written(merged) + "".join(self._adding_up(files))

    def _adding_up(self, files: Iterable[Path]) -> Iterator[str]:
        values: dict[str, float] = defaultdict(float)
        kinds: dict[str, str] = {}
        for file in files:
            kind = file.name.partition("_")[0]
            if kind in {"counter", "histogram"}:
                for key, value, *_ in _values(file):
                    values[key] += value
                    kinds[key] = kind
        if values.keys() != self._laid_out:
            self._layout, self._laid_out = _layout(kinds), frozenset(values)
        for header, blocks in self._layout.items():
            yield header
            for block in blocks:
                yield from block.lines(values)


def _values(file: Path) -> Iterable[tuple[str, float, float, int]]:
    """Read a worker's file: key, value, when it was set, and its place in the file."""
    read: Any = MmapedDict.read_all_values_from_file
    found: Iterable[tuple[str, float, float, int]] = read(str(file))
    return found


def _layout(kinds: Mapping[str, str]) -> Layout:
    """Sort keys, each the JSON of a metric's name, a line's name, its labels and its help."""
    layout: Layout = {}
    buckets: dict[tuple[str, str], list[tuple[float, str, str]]] = defaultdict(list)
    sums: dict[tuple[str, str], tuple[str, str]] = {}
    counts: dict[tuple[str, str], str] = {}
    for key, kind in kinds.items():
        name, line, labels, words = json.loads(key)
        header = _header(name, kind, words)
        layout.setdefault(header, [])
        if kind == "counter":
            layout[header].append(_Counter(key, _head(line, labels)))
            continue
        series = (header, _head("", {one: labels[one] for one in labels if one != "le"}))
        counts[series] = _head(f"{name}_count", {n: v for n, v in labels.items() if n != "le"})
        if "le" in labels:
            bound = inf if labels["le"] == "+Inf" else float(labels["le"])
            buckets[series].append((bound, key, _head(line, labels)))
        else:
            sums[series] = (key, _head(line, labels))
    for series, found in buckets.items():
        ordered = tuple((key, head) for _, key, head in sorted(found))
        layout[series[0]].append(_Histogram(ordered, counts[series], sums[series]))
    return layout
