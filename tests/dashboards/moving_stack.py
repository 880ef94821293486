"""A stack made of numbers: parts that serve the contract's metrics, and move them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.core import Metric

HOST = "127.0.0.1"
TICK_SECONDS = 0.1
GLOBAL_KEY = "lb:global:all:s1"
KEYS = tuple(
    f"lb:{region}:{mode}:s1"
    for region in ("na-east", "na-west", "eu", "apac")
    for mode in ("solo", "duo", "squad")
)
# of each operation in one tick: 240, 20 and 80 a second
LOAD = {"submit": 24, "top": 2, "around": 8}
METHOD = {"submit": "POST", "top": "GET", "around": "GET"}
HTTP_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.1, 1, 2.5)
LATENESS_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.5)
# A scrape sees all of a tick or nothing of it: otherwise more is answered than was offered.
TICK = Lock()


class WholeTicks(CollectorRegistry):
    """Collects between two ticks."""

    def collect(self) -> Iterator[Metric]:
        """Give every metric as it is now."""
        with TICK:
            return iter(list(super().collect()))


class Service:
    """The leaderboard service's counters, in one mode."""

    def __init__(self, mode: str, keys: Sequence[str]) -> None:
        self.registry = r = WholeTicks()
        self._keys = keys
        self.written = 0
        self._ops = Counter("leaderboard_key_ops", "-", ["key", "op"], registry=r)
        self._op_seconds = Histogram(
            "leaderboard_key_op_duration_seconds", "-", ["key", "op"], registry=r
        )
        self._members = Counter("leaderboard_key_members_written", "-", ["key"], registry=r)
        self._commands = Counter("leaderboard_redis_commands", "-", ["command"], registry=r)
        self._pipelines = Counter("leaderboard_redis_pipeline_seconds", "-", registry=r)
        self._http = Histogram(
            "leaderboard_http_request_duration_seconds",
            "-",
            ["route", "method", "code"],
            buckets=HTTP_BUCKETS,
            registry=r,
        )
        self._writes = Counter("leaderboard_writes", "-", ["status"], registry=r)
        self._polls = Counter("odometer_reads", "-", ["source"], registry=r)
        self._deliveries = Counter("odometer_deliveries", "-", ["outcome"], registry=r)
        for outcome in ("counted", "duplicate"):
            self._deliveries.labels(outcome)
        Gauge("odometer_total_as_of_timestamp_seconds", "-", registry=r).set(0)
        Gauge("odometer_drift", "-", registry=r).set(0)
        Counter("leaderboard_projection_replayed", "-", registry=r)
        Gauge("leaderboard_projection_backlog", "-", registry=r).set(0)
        Gauge("leaderboard_projection_oldest_timestamp_seconds", "-", registry=r).set(0)
        _add_members(r)
        labels = ["mode", "ledger", "version"]
        Gauge("leaderboard_info", "-", labels, registry=r).labels(mode, "none", "0").set(1)
        Gauge("leaderboard_partitions", "-", registry=r).set(12)
        members = Gauge("leaderboard_board_members", "-", ["key"], registry=r)
        for key in keys:
            members.labels(key).set(12_000 / len(keys))

    def tick(self) -> None:
        """Answer a tenth of a second of load, keys in turn."""
        for source in ("cache", "redis", "ledger"):
            self._polls.labels(source).inc()
        for operation, count in LOAD.items():
            for _ in range(count):
                self._answer(operation)

    def _answer(self, operation: str) -> None:
        op = "write" if operation == "submit" else "read"
        key = self._keys[self.written % len(self._keys)]
        self._http.labels(operation, METHOD[operation], "200").observe(0.0015)
        self._ops.labels(key, op).inc()
        # a top reads every key in one pipeline, whose time each of them is given
        for touched in self._keys if operation == "top" else [key]:
            self._op_seconds.labels(touched, op).observe(0.0002)
        self._pipelines.inc(0.0002)
        self._commands.labels("zadd" if op == "write" else "zrange").inc()
        if op == "write":
            self._members.labels(key).inc()
            self._writes.labels("applied").inc()
            self.written += 1


def _add_members(registry: CollectorRegistry) -> None:
    """The achievements' counters of a service without members."""
    sources = Counter("achievements_recounts", "-", ["source"], registry=registry)
    for source in ("achievements", "pending", "sweep"):
        sources.labels(source)
    outcomes = Counter("achievements_sweep_members", "-", ["outcome"], registry=registry)
    for outcome in ("changed", "unchanged"):
        outcomes.labels(outcome)
    Counter("achievements_unlocks", "-", registry=registry)
    Gauge("achievements_sweep_last_success_timestamp_seconds", "-", registry=registry).set(0)


class Generator:
    """The Locust master's counters, of a run in which all but the first requests are well."""

    def __init__(self, run: str = "a-run", mode: str = "naive") -> None:
        self.registry = r = WholeTicks()
        self._run = run
        of_run = ["run", "operation"]
        self._requests = Counter("loadgen_requests", "-", [*of_run, "outcome"], registry=r)
        self._offered = Counter("loadgen_offered", "-", of_run, registry=r)
        self._dropped = Counter("loadgen_dropped", "-", of_run, registry=r)
        self._lateness = Histogram(
            "loadgen_lateness_seconds", "-", ["run"], buckets=LATENESS_BUCKETS, registry=r
        ).labels(run)
        Gauge("loadgen_inflight", "-", ["run"], registry=r).labels(run).set(3)
        self.cpu = Gauge("loadgen_cpu_ratio", "-", ["run"], registry=r).labels(run)
        self.cpu.set(0.3)
        start = Gauge("loadgen_measured_start_timestamp_seconds", "-", ["run", "mode"], registry=r)
        start.labels(run, mode).set(time.time())
        self.end_of_measured_phase = start.clear
        for operation in LOAD:
            self._offered.labels(run, operation)
            self._dropped.labels(run, operation)
            self._requests.labels(run, operation, "ok")
            self._requests.labels(run, operation, "timeout").inc()

    def tick(self) -> None:
        """Offer a tenth of a second of load, and have it answered."""
        for operation, count in LOAD.items():
            self._offered.labels(self._run, operation).inc(count)
            self._requests.labels(self._run, operation, "ok").inc(count)
            self._lateness.observe(0.0007)


class RedisExporter:
    """The two numbers of the Redis exporter that a panel reads."""

    def __init__(self) -> None:
        self.registry = r = WholeTicks()
        self._user = Counter("redis_cpu_user_seconds", "-", registry=r)
        self._system = Counter("redis_cpu_sys_seconds", "-", registry=r)

    def tick(self) -> None:
        """Spend a fifth of a core."""
        self._user.inc(0.015)
        self._system.inc(0.005)


Part = Service | Generator | RedisExporter


@dataclass
class Clock:
    """Ticks every part that is running, ten times a second, until it is stopped."""

    parts: list[Part] = field(default_factory=list)
    stopped: Event = field(default_factory=Event)

    def run(self) -> None:
        """Tick until stopped."""
        while not self.stopped.wait(TICK_SECONDS):
            with TICK:
                for part in self.parts:
                    part.tick()

    def pause(self) -> None:
        """Tick nothing any more; the last tick is over."""
        with TICK:
            self.parts = []


@contextmanager
def ticking() -> Iterator[Clock]:
    """Run a clock beside the test."""
    clock = Clock()
    thread = Thread(target=clock.run)
    thread.start()
    try:
        yield clock
    finally:
        clock.stopped.set()
        thread.join()


@contextmanager
def serving(part: Part, port: int = 0) -> Iterator[str]:
    """Serve a part's metrics, on a port the system chose, and give the address."""
    server, thread = start_http_server(port, HOST, part.registry)
    try:
        yield f"{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
