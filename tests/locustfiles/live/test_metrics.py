"""The generator's metrics: their values, and the page of whole runs as Prometheus scrapes it."""

import json
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from free_ports import free_port
from locust_runs import LocustRun, Stub, side_by_side, start_locust
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from locustfiles.live.metrics import LiveCounts, LiveMetrics, MetricsPage
from locustfiles.recording.recording import Recording, Timing
from workload.operations import MODELLED

OUTCOMES = {"ok", "timeout", "refused", "reset", "http_4xx", "http_5xx", "bad_body", "other"}


OUTCOMES |= {"redis_readonly", "redis_noperm", "redis_oom", "redis_refused"}


NOW = {"in_flight": 3, "cpu_ratio": 0.25}


def samples(counts: LiveCounts) -> dict[tuple[str, ...], float]:
    """Everything that a scrape would see, by name and labels but the run, which all have."""
    registry = CollectorRegistry()
    registry.register(LiveMetrics(counts, "a-run", "naive"))
    found = [sample for metric in registry.collect() for sample in metric.samples]

    assert {"a-run"} == {sample.labels.pop("run") for sample in found}
    return {(sample.name, *sample.labels.values()): sample.value for sample in found}


@pytest.fixture
def recording() -> Recording:
    """Three submits: one answered, one timed out, one dropped; and a late top."""
    made = Recording.of(MODELLED)
    submit = made.operations["submit"]
    submit.seconds[-1].offered = 1
    submit.seconds[7].offered = 2
    submit.seconds[7].dropped = 1
    timing = Timing(0, 100, 2_000)
    submit.count_success(-1, timing, "applied", measured=False)
    submit.count_failure(7, timing, "timeout", answered=False, unknown=True, measured=True)
    made.operations["top"].seconds[7].offered = 1
    made.lateness_us.update({500: 2, 501: 1, 2_400_000: 1, 9_000_000: 1})
    return made


def test_every_label_is_there_at_zero_from_the_start() -> None:
    """A rate needs a first value, so none may appear with its first request."""
    found = samples(LiveCounts(MODELLED))

    assert {
        (f"loadgen_{name}_total", operation)
        for name in ("offered", "dropped")
        for operation in ("submit", "top", "around")
    } == {one for one in found if one[0] in {"loadgen_offered_total", "loadgen_dropped_total"}}
    assert {
        (operation, outcome) for operation in ("submit", "top", "around") for outcome in OUTCOMES
    } == {one[1:] for one in found if one[0] == "loadgen_requests_total"}
    assert {0.0} == set(found.values())


def test_what_workers_hand_over_adds_up(recording: Recording) -> None:
    """Warm-up included, from every worker, again and again."""
    counts = LiveCounts(MODELLED)
    for worker in ("one", "other", "one"):
        counts.add(worker, {"recording": recording.as_message(), "now": NOW})
    found = samples(counts)

    assert 9 == found["loadgen_offered_total", "submit"]
    assert 3 == found["loadgen_dropped_total", "submit"]
    assert 3 == found["loadgen_requests_total", "submit", "ok"]
    assert 3 == found["loadgen_requests_total", "submit", "timeout"]
    assert 3 == found["loadgen_offered_total", "top"]
    assert 0 == found["loadgen_offered_total", "around"]


def test_lateness_is_a_histogram_in_seconds(recording: Recording) -> None:
    """A bound belongs to its bucket, what is later than all bounds to the last one."""
    counts = LiveCounts(MODELLED)
    counts.add("one", {"recording": recording.as_message(), "now": NOW})
    found = samples(counts)
    buckets = {one[1]: value for one, value in found.items() if one[0].endswith("_bucket")}

    assert {"0.0005": 2, "0.001": 3, "1.0": 3, "2.5": 4, "+Inf": 5}.items() <= buckets.items()
    assert 13 == len(buckets)
    assert 5 == found["loadgen_lateness_seconds_count",]
    assert pytest.approx(11.401501) == found["loadgen_lateness_seconds_sum",]


def test_the_present_is_the_sum_of_the_workers_and_their_busiest() -> None:
    """In flight adds up; the CPU is that of the worker nearest to its limit."""
    counts = LiveCounts(MODELLED)
    empty = Recording.of(MODELLED).as_message()
    counts.add("one", {"recording": empty, "now": NOW})
    counts.add("other", {"recording": empty, "now": {"in_flight": 4, "cpu_ratio": 0.5}})
    during = samples(counts)
    for worker in ("one", "other"):
        counts.add(worker, {"recording": empty})
    after = samples(counts)

    assert (7, 0.5) == (during["loadgen_inflight",], during["loadgen_cpu_ratio",])
    assert (0, 0) == (after["loadgen_inflight",], after["loadgen_cpu_ratio",])


def test_the_measured_phase_is_shown_while_it_goes_on() -> None:
    """With the run's mode: neither the loading nor the drain is what a dashboard shows of a run."""
    counts = LiveCounts(MODELLED)
    name = "loadgen_measured_start_timestamp_seconds"
    now = time.time()
    seen = []
    for measured in (None, (now + 60, now + 120), (now - 60, now + 60), (now - 120, now - 60)):
        counts.measured = measured
        seen.append(samples(counts).get((name, "naive")))

    assert [None, None, now - 60, None] == seen


def test_port_zero_serves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without metrics needs no port, and waits for no scrape at its end."""
    page = MetricsPage(
        LiveMetrics(LiveCounts(MODELLED), "a-run", "naive"), "an address that does not exist", 0
    )
    monkeypatch.setattr(page, "_scraped", None)  # there is nothing to wait for
    page.await_last_scrape()


Page = dict[tuple[str, ...], float]
SCRAPE_SECONDS = 0.3
MEASURED_START = "loadgen_measured_start_timestamp_seconds"


@dataclass
class Scraped:
    """A run that was scraped from its beginning to its end."""

    run: LocustRun
    code: int
    pages: list[Page] = field(default_factory=list)
    is_gone: bool = False

    def last(self, *name: str) -> float:
        """A sample of the last scrape that was answered."""
        return self.pages[-1][name]


def scrape(port: int) -> Page | None:
    """Read the page; None when it is not served."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            text = answer.read().decode()
    except OSError:
        return None
    return {
        (sample.name, *(value for name, value in sample.labels.items() if name != "run")): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped_run(stub: Stub, directory: Path, workers: int) -> Scraped:
    """A short run, which loads its players once it was scraped."""
    port = free_port()
    long = ("--duration", "7", "--warmup", "1", "--scale", "0.0002")
    options = (*long, "--players", "60", "--metrics-port", str(port))
    run = start_locust(stub.url, directory, *options, workers=workers)
    made = Scraped(run, -1)
    while run.main.poll() is None:
        if page := scrape(port):
            made.pages.append(page)
            stub.behave("well")
        time.sleep(SCRAPE_SECONDS)
    made.code = run.wait()
    made.is_gone = scrape(port) is None
    return made


@pytest.fixture(scope="module")
def both(
    make_stub: Callable[..., Stub], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Scraped]:
    """A run by one process, and one by a master with two workers."""
    folder = tmp_path_factory.mktemp("metrics")
    return side_by_side(
        {
            name: partial(scraped_run, make_stub("held-load"), folder / name, workers)
            for name, workers in (("alone", 0), ("workers", 2))
        }
    )


@pytest.fixture(params=["alone", "workers"])
def scraped(both: dict[str, Scraped], request: pytest.FixtureRequest) -> Scraped:
    """One of them."""
    return both[request.param]


def test_the_last_scrape_saw_the_whole_run(scraped: Scraped) -> None:
    """The counters are the measurements, whichever worker sent a request; then they stay."""
    operations = scraped.run.measurements["operations"]

    assert 0 == scraped.code, scraped.run.output
    for name, one in operations.items():
        whole = one["all"]
        assert whole["offered"] == scraped.last("loadgen_offered_total", name) > 0
        assert whole["ok"] == scraped.last("loadgen_requests_total", name, "ok")
        assert 0 == scraped.last("loadgen_requests_total", name, "timeout")
        assert 0 == scraped.last("loadgen_dropped_total", name)
    late = sum(scraped.run.measurements["lateness_us"].values())
    assert late == scraped.last("loadgen_lateness_seconds_count")
    assert 0 == scraped.last("loadgen_inflight")


def test_counters_start_at_zero_and_never_fall(scraped: Scraped) -> None:
    """The same series on every scrape: 0 first, then more and more, several times."""
    values = [page["loadgen_offered_total", "submit"] for page in scraped.pages]

    assert 0 == values[0]
    assert values == sorted(values)
    assert len(set(values)) >= 4
    kinds = {frozenset(one for one in page if one[0] != MEASURED_START) for page in scraped.pages}
    assert 1 == len(kinds)


def test_the_measured_phase_is_shown_to_a_scrape(scraped: Scraped) -> None:
    """Neither the loading nor the warm-up is part of what a dashboard shows of a run."""
    starts = [
        value for page in scraped.pages for one, value in page.items() if one[0] == MEASURED_START
    ]
    facts = json.loads((scraped.run.directory / "run.json").read_text())

    assert {datetime.fromisoformat(facts["measured_from"]).timestamp()} == set(starts)
    assert MEASURED_START not in {one[0] for one in scraped.pages[0]}


def test_the_cpu_is_that_of_the_last_second(scraped: Scraped) -> None:
    """While it sends, some share of a core; when it is over, none."""
    ratios = [page["loadgen_cpu_ratio",] for page in scraped.pages]

    assert 0 < max(ratios) < 1.5
    assert 0 == ratios[0] == ratios[-1]


def test_nothing_is_served_when_the_run_is_over(scraped: Scraped) -> None:
    """The next scrape finds no server."""
    assert scraped.is_gone


def test_a_taken_port_ends_the_run_before_it_begins(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """The sentence names the variable; no run directory is left."""
    stub = make_stub()
    taken = stub.url.rpartition(":")[2]
    run = start_locust(stub.url, tmp_path / "run", "--metrics-port", taken)

    assert 2 == run.wait(), run.output
    assert "LOADGEN_PORT" in run.output
    assert not run.directory.exists()


def test_a_port_that_is_none_is_named_with_all_other_problems(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """One sentence for each option."""
    wrong = ("--metrics-port", "none", "--duration", "soon")
    run = start_locust(make_stub().url, tmp_path / "run", *wrong)

    assert 2 == run.wait()
    assert "--metrics-port (LOADGEN_PORT) must be a whole number from 0 to 65535" in run.output
    assert "--duration must be" in run.output
