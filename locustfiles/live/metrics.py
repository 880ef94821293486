"""The generator's metrics: served by the master alone, which knows the whole run."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from gevent.event import Event
from gevent.pywsgi import WSGIServer
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from locustfiles.errors import BadInput
from locustfiles.http.connection import FAILURE_KINDS

OUTCOMES: Final = ("ok", *FAILURE_KINDS)
LATENESS_BOUNDS_SECONDS: Final = (
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
)  # fmt: skip
_BOUNDS_US: Final = [round(bound * 1_000_000) for bound in LATENESS_BOUNDS_SECONDS]


class LiveCounts:
    """Adds up the workers' messages, as the recording does, but keeps no seconds.

    So a scrape costs the same in the first minute of a day and in the last.
    """

    def __init__(self, operations: Sequence[str]) -> None:
        self.offered = Counter(dict.fromkeys(operations, 0))
        self.dropped = Counter(dict.fromkeys(operations, 0))
        self.outcomes = Counter({(name, one): 0 for name in operations for one in OUTCOMES})
        # one more than the bounds: what is later than all of them
        self.lateness = [0] * (len(LATENESS_BOUNDS_SECONDS) + 1)
        self.lateness_us = 0
        # from and to, by the wall clock; None until the load starts
        self.measured: tuple[float, float] | None = None
        self._now: dict[str, dict[str, Any]] = {}

    @property
    def in_flight(self) -> int:
        """Requests that were sent and not answered yet, as their senders last reported."""
        return sum(now["in_flight"] for now in self._now.values())

    @property
    def cpu_ratio(self) -> float:
        """What the busiest sender used of a core in the last second."""
        return max((now["cpu_ratio"] for now in self._now.values()), default=0.0)

    def add(self, sender: str, message: dict[str, Any]) -> None:
        """Add the message of a sender; its last one has no `now`."""
        if "now" in message:
            self._now[sender] = message["now"]
        else:
            self._now.pop(sender, None)
        for name, record in message["recording"]["operations"].items():
            self._add_operation(name, record)
        for bucket, count in message["recording"]["lateness_us"].items():
            self.lateness[bisect_left(_BOUNDS_US, bucket)] += count
            self.lateness_us += bucket * count

    def _add_operation(self, name: str, record: dict[str, Any]) -> None:
        for counters, _ in record["seconds"].values():
            offered, _sent, dropped, ok, *_ = counters
            self.offered[name] += offered
            self.dropped[name] += dropped
            self.outcomes[name, "ok"] += ok
        for kind, seconds in record["failures"].items():
            self.outcomes[name, kind] += sum(seconds.values())


Page = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

# A client that scraped within this time scrapes regularly, and comes again within as much.
_WATCHED_SECONDS: Final = 3.0


class LiveMetrics(Collector):
    """Renders the counts of a run; every label is there from the start, at 0."""

    def __init__(self, counts: LiveCounts, run: str, mode: str) -> None:
        self._counts = counts
        self._run = run
        self._mode = mode

    def collect(self) -> Iterator[Metric]:
        """Give every metric as it is now."""
        counts, run = self._counts, self._run
        requests = CounterMetricFamily(
            "loadgen_requests",
            "Requests that were sent, by what came of them.",
            labels=("run", "operation", "outcome"),
        )
        for (operation, outcome), count in counts.outcomes.items():
            requests.add_metric((run, operation, outcome), count)
        yield requests
        yield self._by_operation(
            "loadgen_offered", "Requests that the schedule wanted.", counts.offered
        )
        yield self._by_operation(
            "loadgen_dropped", "Offered requests that were never sent.", counts.dropped
        )
        yield self._lateness()
        yield self._gauge(
            "loadgen_inflight", "Requests sent and not answered yet.", counts.in_flight
        )
        yield self._gauge(
            "loadgen_cpu_ratio",
            "What the busiest sending process used of one core in the last second.",
            counts.cpu_ratio,
        )
        if counts.measured and counts.measured[0] <= time.time() <= counts.measured[1]:
            measuring = GaugeMetricFamily(
                "loadgen_measured_start_timestamp_seconds",
                "When the run's measured phase began; there for as long as it goes on.",
                labels=("run", "mode"),
            )
            measuring.add_metric((run, self._mode), counts.measured[0])
            yield measuring

    def _by_operation(self, name: str, words: str, counts: Mapping[str, int]) -> Metric:
        family = CounterMetricFamily(name, words, labels=("run", "operation"))
        for operation, count in counts.items():
            family.add_metric((self._run, operation), count)
        return family

    def _gauge(self, name: str, words: str, value: float) -> Metric:
        family = GaugeMetricFamily(name, words, labels=("run",))
        family.add_metric((self._run,), value)
        return family

    def _lateness(self) -> Metric:
        bounds = (*map(str, LATENESS_BOUNDS_SECONDS), "+Inf")
        family = HistogramMetricFamily(
            "loadgen_lateness_seconds",
            "How late the scheduler was, in the measured phase.",
            labels=("run",),
        )
        family.add_metric(
            (self._run,),
            buckets=list(zip(bounds, accumulate(self._counts.lateness), strict=True)),
            sum_value=self._counts.lateness_us / 1_000_000,
        )
        return family


class MetricsPage:
    """Serves the metrics until the process ends; port 0 serves none.

    Raises:
        BadInput: the port cannot be used.
    """

    def __init__(self, metrics: LiveMetrics, host: str, port: int) -> None:
        registry = CollectorRegistry()
        registry.register(metrics)
        self._page: Page = make_wsgi_app(registry)
        self._scraped_at = -_WATCHED_SECONDS
        self._scraped = Event()
        if port == 0:
            return
        self._server = WSGIServer((host, port), self._answer, log=None, error_log=None)
        try:
            self._server.start()
        except OSError as error:
            raise BadInput(
                f"The generator's metrics cannot be served at {host}:{port} ({error.strerror}): "
                "choose another port with LOADGEN_PORT=<port> or --metrics-port; 0 serves none."
            ) from None

    def await_last_scrape(self) -> None:
        """Wait for the last scrape of a client that scrapes regularly; return at once without."""
        if time.monotonic() - self._scraped_at < _WATCHED_SECONDS:
            self._scraped.clear()
            self._scraped.wait(timeout=_WATCHED_SECONDS)

    def _answer(self, environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        self._scraped_at = time.monotonic()
        self._scraped.set()
        return self._page(environment, start)
