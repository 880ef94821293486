import time

import pytest
from prometheus_client import CollectorRegistry

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


def test_the_measured_phase_is_told_while_it_goes_on() -> None:
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
