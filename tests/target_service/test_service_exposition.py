import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from target_service.exposition import OwnSeries, SharedSeries

ROOT = Path(__file__).resolve().parents[2]
# Counts like a worker: its numbers depend on its place, so that a sum can be told from a part.
WORKER = """
import json, sys
from prometheus_client import CollectorRegistry
sys.path.insert(0, "tests/target_service")
from test_service_exposition import count
count(CollectorRegistry(), *json.loads(sys.argv[1]))
"""


def count(registry: CollectorRegistry, place: int, more: bool) -> None:
    """Make every kind of series that the service has, with labels of every sort."""
    hits = Counter("hits_total", 'Says "hits"\\, twice:\nonce.', ("key", "op"), registry=registry)
    for key in ("lb:eu", 'quoted "name"', "back\\slash", "two\nlines", "é"):
        hits.labels(key, "write").inc(place * 1.5)
    times = Histogram("times_seconds", "Times.", ("op",), buckets=(0.001, 1, 20), registry=registry)
    for seconds in (0.0001, 0.5, 19, 100):
        times.labels("read").observe(seconds * place)
    Histogram("bare_seconds", "No labels.", registry=registry).observe(place)
    newest = Gauge(
        "members", "Of keys.", ("key",), multiprocess_mode="mostrecent", registry=registry
    )
    newest.labels("lb:eu").set(float("nan") if more else place)
    Gauge("total", "Sum.", multiprocess_mode="livesum", registry=registry).set(place)
    if more:
        hits.labels("late", "read").inc()
        times.labels("late").observe(1)


def test_one_process_writes_what_the_library_writes() -> None:
    """To the byte, and again when numbers and labels have changed."""
    disable_created_metrics()  # type: ignore[no-untyped-call]  # as the service does
    registry = CollectorRegistry()
    count(registry, 1, more=True)
    series = OwnSeries(registry)
    first = series.text()
    extra = Counter("extra_total", "Came later.", ("key",), registry=registry)
    extra.labels("a").inc(1e30)

    assert first.encode() != generate_latest(registry)
    assert generate_latest(registry) == series.text().encode()


@pytest.fixture
def work(tmp_path: Path) -> Callable[[int, bool], None]:
    """Run a worker that counts into the shared folder, and ends."""

    def run(place: int, more: bool) -> None:
        subprocess.run(
            [sys.executable, "-c", WORKER, json.dumps([place, more])],
            cwd=ROOT,
            env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
            check=True,
        )

    return run


def of_the_library(folder: Path) -> list[str]:
    """What the library writes of all workers, in one order."""
    registry = CollectorRegistry(support_collectors_without_names=True)
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]  # it has no types
    return sorted(generate_latest(registry).decode().splitlines())


def test_workers_add_up_to_what_the_library_adds_up(
    tmp_path: Path, work: Callable[[int, bool], None]
) -> None:
    """Line for line, with series that come later, and of workers that are gone."""
    series = SharedSeries(tmp_path)
    empty = series.text()
    work(1, False)
    one = sorted(series.text().splitlines())
    work(2, True)
    both = sorted(series.text().splitlines())

    assert "" == empty
    assert of_the_library(tmp_path) == both != one
    assert 'hits_total{key="lb:eu",op="write"} 4.5' in both
    assert 'hits_total{key="late",op="read"} 1.0' in both
    assert 'times_seconds_bucket{le="+Inf",op="read"} 8.0' in both


def test_a_histogram_is_written_in_the_order_of_its_bounds(
    tmp_path: Path, work: Callable[[int, bool], None]
) -> None:
    """Below its own heading, buckets first, then count and sum."""
    work(1, False)
    lines = SharedSeries(tmp_path).text().splitlines()
    begin = lines.index("# TYPE times_seconds histogram")

    assert [
        "times_seconds_bucket", "times_seconds_bucket", "times_seconds_bucket",
        "times_seconds_bucket", "times_seconds_count", "times_seconds_sum",
    ] == [line.partition("{")[0] for line in lines[begin + 1 : begin + 7]]  # fmt: skip
    assert ["0.001", "1.0", "20.0", "+Inf"] == [
        line.split('le="')[1].split('"')[0] for line in lines[begin + 1 : begin + 5]
    ]
