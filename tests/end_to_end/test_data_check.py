"""Prometheus beside a real run in each mode: what it saw, and every panel's query."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from free_ports import free_port
from make_command import Checkout, Command

from dashboards.datacheck.check import Report, check
from dashboards.datacheck.patience import await_first_scrapes
from dashboards.datacheck.prometheus_api import PrometheusApi
from dashboards.datacheck.questions import read
from dashboards.datacheck.summary import summary
from dashboards.program_run import program_run
from dashboards.prometheus.programs import program
from dashboards.prometheus.server import running
from dashboards.prometheus.targets import CONFIG, with_targets

MODES = ("naive", "partitioned")
JOBS = ("service", "generator", "redis")
SECONDS = 7
SECONDS_OF_PATIENCE = 60.0
OPERATIONS = ("submit", "top", "around")


@dataclass(frozen=True)
class Seen:
    """A run as its own files tell it, and as Prometheus tells it.

    The report is of the end of the measured phase, everything else of the last scrapes.
    """

    code: int
    measurements: dict[str, Any]
    report: Report
    api: PrometheusApi
    at: float

    def ask(self, expr: str) -> float:
        """The one value of an expression, as it was then."""
        (series,) = self.api.instant(expr, self.at)
        return series.values[-1]


@contextmanager
def serving(checkout: Checkout, mode: str) -> Iterator[str]:
    """Keep a stack up, as `make serve` does, and give the address of its Redis."""
    command: Command = checkout.start("serve", f"MODE={mode}")
    try:
        command.wait_for("Stop with Ctrl-C")
        yield next(line.split()[-1] for line in command.lines if line.startswith("redis "))
    finally:
        command.interrupt()
        command.wait()


@contextmanager
def exporting(redis_url: str, port: int, log: Path) -> Iterator[None]:
    """Run the Redis exporter of Debian, as compose runs its own."""
    exporter = str(program("prometheus-redis-exporter", os.environ))
    where = [f"-redis.addr={redis_url}", f"-web.listen-address=127.0.0.1:{port}"]
    with program_run("The exporter", [exporter, *where], f"http://127.0.0.1:{port}/health", log):
        yield


def loaded(checkout: Checkout, mode: str) -> tuple[int, dict[str, Any]]:
    """Load the stack with Locust by hand: its exit code, and what it measured."""
    directory = checkout.root / "reports" / "runs" / mode
    port = checkout.environment["SERVICE_PORT"]
    words = [".venv/bin/python", "-m", "locust", "-f", "locustfiles/locustfile.py", "--headless"]
    words += ["--host", f"http://127.0.0.1:{port}", "--run-dir", str(directory)]
    words += ["--duration", str(SECONDS), "--warmup", "1", "--players", "600"]
    # the metrics' port comes from LOADGEN_PORT
    done = subprocess.run(words, cwd=checkout.root, env=checkout.environment, check=False)
    return done.returncode, json.loads((directory / "measurements.json").read_text())


def measured_to(checkout: Checkout, mode: str) -> float:
    """When the measured phase ended."""
    facts = json.loads((checkout.root / "reports" / "runs" / mode / "run.json").read_text())
    return datetime.fromisoformat(facts["measured_to"]).timestamp()


def await_last_scrapes(api: PrometheusApi, ended_at: float) -> float:
    """Wait until the service was scraped after the end, and the generator was not found any more.

    Gives the moment at which it was so.
    """
    while True:
        now = time.time()
        assert now < ended_at + SECONDS_OF_PATIENCE
        served = api.instant("max(timestamp(leaderboard_info))", now)
        found = api.instant('up{job="generator"}', now)
        if served and served[0].values[-1] > ended_at and found and found[0].values[-1] == 0:
            return now
        time.sleep(0.2)


@pytest.fixture(scope="module")
def seen(
    new_checkout: Checkout, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Seen]]:
    """A run in each mode, the service on one port, one Prometheus from before the first."""
    folder = tmp_path_factory.mktemp("prometheus")
    # to Prometheus a write that Redis was too slow for is another one
    new_checkout.environment["HOTBOARD_REDIS_TIMEOUT_SECONDS"] = "30"
    ports = {name: new_checkout.environment[f"{name}_PORT"] for name in ("SERVICE", "LOADGEN")}
    exporter_port = free_port()
    addresses = (ports["SERVICE"], ports["LOADGEN"], exporter_port)
    targets = {job: [f"127.0.0.1:{at}"] for job, at in zip(JOBS, addresses, strict=True)}
    config = with_targets(CONFIG.read_text(encoding="utf-8"), targets)
    found = {}
    with running(program("prometheus", os.environ), config, folder) as url:
        api = PrometheusApi(url)
        assert await_first_scrapes(api, len(JOBS))
        for mode in MODES:
            with (
                serving(new_checkout, mode) as redis_url,
                exporting(redis_url, exporter_port, folder / "exporter.log"),
            ):
                code, measurements = loaded(new_checkout, mode)
                at = await_last_scrapes(api, time.time())
                # a latency of the last few seconds is there while the load is
                loaded_until = measured_to(new_checkout, mode)
                report = check(api, read(), JOBS, loaded_until)
                found[mode] = Seen(code, measurements, report, api, at)
        yield found


@pytest.mark.parametrize("mode", MODES)
def test_every_query_of_every_panel_answers(seen: dict[str, Seen], mode: str) -> None:
    """After each run none is empty, not a number or out of bounds; nothing is left out."""
    report = seen[mode].report

    assert () == report.faulty, summary(report)
    assert () == report.no_target
    assert all(verdict.values or verdict.question.may_be_empty for verdict in report.verdicts)


def test_after_both_runs_every_query_was_asked(seen: dict[str, Seen]) -> None:
    """Those of the side by side dashboard included."""
    report = seen["partitioned"].report

    assert frozenset(MODES) == report.modes
    assert () == report.other_mode
    assert summary(report).endswith("queries run in naive and partitioned, none empty, none wrong")


@pytest.mark.parametrize("mode", MODES)
def test_prometheus_counts_what_the_generator_counted(seen: dict[str, Seen], mode: str) -> None:
    """To the request, for every operation; the loading's batches are counted apart."""
    run = seen[mode]
    count = "leaderboard_http_request_duration_seconds_count"
    whole = {name: run.measurements["operations"][name]["all"] for name in OPERATIONS}
    loading = run.measurements["loading"]

    assert 0 == run.code
    for name in OPERATIONS:
        assert whole[name]["ok"] == run.ask(f'sum({count}{{route="{name}",code="200"}})')
    assert loading["batches"] == run.ask(f'sum({count}{{route="submit_batch",code="200"}})')
    written = loading["ok"] + whole["submit"]["ok"]
    assert written == run.ask('leaderboard_writes_total{status="applied"}')
    assert written == run.ask("sum(leaderboard_key_members_written_total)")


@pytest.mark.parametrize("mode", MODES)
def test_prometheus_saw_the_generators_last_numbers(seen: dict[str, Seen], mode: str) -> None:
    """The process waits for one more scrape, then it is gone with its series."""
    run = seen[mode]
    latest = "last_over_time({}[10s])".format

    for name in OPERATIONS:
        whole = run.measurements["operations"][name]["all"]
        requests = f'loadgen_requests_total{{operation="{name}",outcome="ok"}}'
        offered = f'loadgen_offered_total{{operation="{name}"}}'
        assert whole["ok"] == run.ask(latest(requests))
        assert whole["offered"] == run.ask(latest(offered))
    assert [] == run.api.instant("loadgen_offered_total", run.at)


def test_naive_mode_is_one_key(seen: dict[str, Seen]) -> None:
    """Prometheus itself says that one key took all writes."""
    run = seen["naive"]
    written = '{mode="naive",op="write",run="naive"}[30s]'

    assert 1.0 == run.ask(f"last_over_time(op:leaderboard_load:hottest_share{written})")
    assert 1.0 == run.ask(f"last_over_time(op:leaderboard_load:effective_keys{written})")


def test_partitioned_mode_is_twelve_level_keys(seen: dict[str, Seen]) -> None:
    """The hottest took less than 0.11, as if more than 11 keys were equal."""
    run = seen["partitioned"]
    written = '{mode="partitioned",op="write",run="partitioned"}[30s]'

    assert run.ask(f"last_over_time(op:leaderboard_load:hottest_share{written})") < 0.11
    assert run.ask(f"last_over_time(op:leaderboard_load:effective_keys{written})") > 11
