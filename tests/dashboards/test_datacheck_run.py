"""The data check with a real Prometheus, on a stack made of moving numbers."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from moving_stack import (
    GLOBAL_KEY,
    KEYS,
    Generator,
    RedisExporter,
    Service,
    serving,
    ticking,
)

from dashboards.datacheck.__main__ import main
from dashboards.datacheck.check import Report, check
from dashboards.datacheck.filling import fill, window
from dashboards.datacheck.patience import await_first_scrapes, steady_moment
from dashboards.datacheck.prometheus_api import PrometheusApi, QueryFailed
from dashboards.datacheck.questions import read
from dashboards.datacheck.summary import summary
from dashboards.program_run import ServerFailed
from dashboards.prometheus.server import running
from dashboards.prometheus.targets import CONFIG, with_targets

# enough for the rules to be worked out from them
SCRAPES = 6
# However slow the machine: reached only where something hangs.
SECONDS_OF_PATIENCE = 240.0
JOBS = ("service", "generator", "redis")
WRITTEN = f'sum(leaderboard_key_members_written_total{{key=~"{"|".join(KEYS)}"}})'


@dataclass(frozen=True)
class TwoRuns:
    """A Prometheus that saw a run in each mode, and what was asked meanwhile and afterwards."""

    api: PrometheusApi
    naive: Report
    naive_shares: dict[str, float]
    both: Report
    shares: dict[str, float]
    effective_keys: float
    written: tuple[int, float]
    over: Report


def shares(api: PrometheusApi, moment: float) -> dict[str, float]:
    """Ask for the share of writes of each key, as it was then."""
    answer = api.instant('key:leaderboard_load:share{op="write"}', moment)
    return {series.labels["key"]: series.values[-1] for series in answer}


def await_value(api: PrometheusApi, expr: str, least: float) -> None:
    """Wait until an expression has reached a value."""
    end = time.monotonic() + SECONDS_OF_PATIENCE
    while not any(series.values[-1] >= least for series in api.instant(expr, time.time())):
        assert time.monotonic() < end, expr
        time.sleep(0.1)


def await_scrapes(api: PrometheusApi, mode: str) -> None:
    """Wait until a service in that mode was scraped a few times."""
    await_value(api, f'count_over_time(leaderboard_info{{mode="{mode}"}}[1h])', SCRAPES)


def await_gone(api: PrometheusApi, expr: str) -> None:
    """Wait until an expression has no value any more."""
    end = time.monotonic() + SECONDS_OF_PATIENCE
    while api.instant(expr, time.time()):
        assert time.monotonic() < end, expr
        time.sleep(0.1)


@pytest.fixture(scope="module")
def two_runs(prometheus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoRuns]:
    """Scrape a run in each mode, the service started again on its port, as `compare` does."""
    naive, partitioned = Service("naive", [GLOBAL_KEY]), Service("partitioned", KEYS)
    first_run, second_run, exporter = (
        Generator("r1"),
        Generator("r2", "partitioned"),
        RedisExporter(),
    )
    folder = tmp_path_factory.mktemp("prometheus")
    with ExitStack() as stack:
        clock = stack.enter_context(ticking())
        targets = {"redis": [stack.enter_context(serving(exporter))]}
        with serving(naive) as address, serving(first_run) as other:
            targets |= {"service": [address], "generator": [other]}
            config = with_targets(CONFIG.read_text(encoding="utf-8"), targets)
            api = PrometheusApi(stack.enter_context(running(prometheus, config, folder)))
            clock.parts = [naive, first_run, exporter]
            assert await_first_scrapes(api, 3)
            await_scrapes(api, "naive")
            moment = steady_moment(api)
            first, naive_shares = check(api, read(), JOBS, moment), shares(api, moment)
            # As in any run: it is over before the service of the next one is started.
            first_run.end_of_measured_phase()
            await_gone(api, "run:loadgen_measuring:bool")
        ports = [int(one.rpartition(":")[2]) for one in (address, other)]
        with serving(partitioned, ports[0]), serving(second_run, ports[1]):
            clock.parts = [partitioned, second_run, exporter]
            second_run.cpu.set(0.95)
            await_scrapes(api, "partitioned")
            second_run.cpu.set(0.1)
            moment = steady_moment(api)
            both, last_shares = check(api, read(), JOBS, moment), shares(api, moment)
            effective = api.instant(
                'op:leaderboard_load:effective_keys{mode="partitioned",op="write"}', moment
            )
            clock.pause()
            await_value(api, "max(timestamp(leaderboard_info))", time.time() + 0.1)
            written = api.instant(WRITTEN, time.time())[0].values[-1]
        # embedded, both are gone when a run is over
        await_value(api, 'count(up{job=~"service|generator"} == 0)', 2)
        over = check(api, read(), JOBS, time.time())
        keys = effective[0].values[-1]
        counted = (partitioned.written, written)
        yield TwoRuns(api, first, naive_shares, both, last_shares, keys, counted, over)


def test_every_query_of_every_panel_answers_after_a_run_in_each_mode(two_runs: TwoRuns) -> None:
    """Nothing is empty, not a number or out of bounds, and nothing was left out."""
    report = two_runs.both

    assert () == report.faulty
    assert frozenset({"naive", "partitioned"}) == report.modes
    assert () == report.other_mode == report.no_target
    assert all(verdict.values or verdict.question.may_be_empty for verdict in report.verdicts)
    assert sum(len(d.questions) for d in report.dashboards) == len(report.verdicts) > 50


def test_after_a_naive_run_only_the_partitioned_side_waits(two_runs: TwoRuns) -> None:
    """Its panels are said to wait for the other mode; every other query answers."""
    report = two_runs.naive

    assert () == report.faulty
    assert {"partitioned"} == {question.mode for question in report.other_mode}
    assert {"Naive against partitioned"} == {q.dashboard for q in report.other_mode}


def test_naive_mode_is_one_key(two_runs: TwoRuns) -> None:
    """Prometheus itself says that the one key takes all."""
    assert {GLOBAL_KEY: 1.0} == two_runs.naive_shares


def test_partitioned_mode_is_twelve_level_keys(two_runs: TwoRuns) -> None:
    """And that in the other mode each takes its twelfth, the naive key nothing any more."""
    assert set(KEYS) == set(two_runs.shares)
    assert max(two_runs.shares.values()) < 0.11
    assert two_runs.effective_keys > 11


def test_prometheus_counts_every_write(two_runs: TwoRuns) -> None:
    """A scrape after the load has ended, its counters are the service's, to the unit."""
    written, counted = two_runs.written

    assert written == counted > 0


def test_what_a_run_showed_stays_when_its_service_is_gone(two_runs: TwoRuns) -> None:
    """As after every embedded run: every panel, the numbers and tables too, still shows it."""
    assert () == two_runs.over.faulty
    assert all(
        verdict.values or verdict.question.may_be_empty for verdict in two_runs.over.verdicts
    )


def asked(two_runs: TwoRuns, title: str, panel: str, **chosen: str) -> list[dict[str, float]]:
    """Ask a panel's queries when all is over: by key, operation or mode, the values."""
    (dashboard,) = (one for one in read() if one.title == title)
    choices = {variable.name: variable.current for variable in dashboard.variables} | chosen
    covered = window(dashboard.since, 24).variables()
    found = []
    for one in dashboard.questions:
        if one.panel == panel:
            answer = two_runs.api.instant(fill(one.expr, choices | covered), time.time())
            (named,) = one.labels or {""}
            found.append({series.labels.get(named, ""): series.values[-1] for series in answer})
    return found


def test_a_dashboard_shows_one_run_the_newest_by_default(two_runs: TwoRuns) -> None:
    """Twelve keys of which none is another run's: their shares sum to 1."""
    (shares,) = asked(
        two_runs, "Naive against partitioned", "Partitioned: share against fair share"
    )
    (heats,) = asked(two_runs, "Hot keys", "Heat: share over fair share")
    (mode,) = asked(two_runs, "Hot keys", "Mode")
    fair = shares.pop("fair share")

    assert set(KEYS) == set(shares) == set(heats) - {"fair share"}
    assert pytest.approx(1 / 12) == fair
    assert pytest.approx(1) == sum(shares.values())
    assert pytest.approx(12) == sum(heats.values()) - heats["fair share"]
    assert ["partitioned"] == list(mode)


def test_an_earlier_run_is_chosen_by_its_name(two_runs: TwoRuns) -> None:
    """Its one key, twelve times as hot as it should be, and nothing of the run after it."""
    (heats,) = asked(two_runs, "Hot keys", "Heat: share over fair share", run="r1")
    columns = asked(two_runs, "Hot keys", "Keys in numbers", run="r1")

    assert {GLOBAL_KEY: pytest.approx(12), "fair share": 1} == heats
    assert [{GLOBAL_KEY}] * 5 == [set(column) for column in columns]


def test_the_worst_of_a_run_stays_in_view(two_runs: TwoRuns) -> None:
    """A generator that was at its limit is red when the run is over, not as idle as at its end."""
    (newest,) = asked(two_runs, "Generator", "CPU")
    (earlier,) = asked(two_runs, "Generator", "CPU", run="r1")

    assert ([0.95], [0.3]) == (list(newest.values()), list(earlier.values()))


def test_a_pipeline_is_one_call_in_redis(two_runs: TwoRuns) -> None:
    """However many keys it carries: 340 a second of 0.2 ms each are 0.068 at one time."""
    (dashboard,) = (one for one in read() if one.title == "Hot keys")
    (expr,) = (
        one.expr
        for one in dashboard.questions
        if one.panel == "In flight: service and Redis" and one.ref_id == "B"
    )
    expr = fill(expr, {"run": "newest", **window("now-5m", 8).variables()})
    (in_redis,) = two_runs.api.instant(f"max_over_time(({expr})[5m:])", time.time())

    assert 0.03 < in_redis.values[-1] < 0.08


def test_the_runs_in_view_are_what_the_variable_lists(two_runs: TwoRuns) -> None:
    """Those of each mode by name, and the newest."""
    found = {}
    for selector in ("{}", '{mode="naive"}'):
        query = urlencode({"match[]": f"choice:loadgen_measured_start:seconds{selector}"})
        address = two_runs.api.url.removeprefix("http://")
        url = f"http://{address}/api/v1/label/choice/values?{query}"
        with urlopen(url, timeout=10) as answer:
            found[selector] = json.load(answer)["data"]

    assert {"{}": ["newest", "r1", "r2"], '{mode="naive"}': ["newest", "r1"]} == found


def test_failures_are_counted_to_the_unit(two_runs: TwoRuns) -> None:
    """The generator's counters are one run's, so that nothing is extrapolated."""
    for run in ("newest", "r1"):
        (failed,) = asked(two_runs, "Drills", "Failed", run=run)

        assert [3] == list(failed.values())


def test_summary_says_what_was_run(two_runs: TwoRuns) -> None:
    """The last line is the one to quote."""
    lines = summary(two_runs.both).splitlines()
    queries = len(two_runs.both.verdicts)
    panels = sum(dashboard.panels for dashboard in two_runs.both.dashboards)

    assert lines[-1] == (
        f"data check: 6 dashboards, {panels} panels, {queries} queries run in naive and "
        "partitioned, none empty, none wrong"
    )


def test_empty_and_refused_queries_are_found(two_runs: TwoRuns) -> None:
    """A panel that shows nothing and one that Prometheus refuses are named in the summary."""
    (dashboard,) = (one for one in read() if one.title == "Generator")
    question = dashboard.questions[0]
    broken = replace(
        dashboard,
        questions=(
            replace(question, expr="loadgen_invented", panel="Empty"),
            replace(question, expr="sum(loadgen_inflight", panel="Refused"),
            replace(
                question,
                expr="sum(last_over_time(loadgen_inflight[$__range])) / 0",
                panel="Infinite",
            ),
        ),
    )
    report = check(two_runs.api, [broken], JOBS, steady_moment(two_runs.api))
    text = summary(report)

    assert 3 == len(report.faulty)
    assert "WRONG Generator / Empty / A: no data" in text
    assert "WRONG Generator / Refused / A: refused: " in text
    assert "WRONG Generator / Infinite / A: inf is no number" in text
    assert text.endswith("3 queries run in naive and partitioned, 2 empty, 3 wrong")


def test_question_nobody_can_answer_is_left_out_by_name(two_runs: TwoRuns) -> None:
    """Without the Redis exporter, its panel is said to be left out and not counted as sound."""
    report = check(two_runs.api, read(), ("service", "generator"), steady_moment(two_runs.api))

    assert ["Redis: share of one core"] == [question.panel for question in report.no_target]
    assert "not asked, no target of theirs is scraped: 1 of Hot keys" in summary(report)


def test_command_checks_a_stack_by_its_addresses(
    prometheus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given two addresses and a few seconds, it scrapes, asks and says that all is sound."""
    monkeypatch.setenv("PROMETHEUS_BIN", str(prometheus))
    service, generator = Service("naive", [GLOBAL_KEY]), Generator()
    with ticking() as clock, serving(service) as one, serving(generator) as other:
        clock.parts = [service, generator]
        arguments = ["--service", f"http://{one}/metrics", "--generator", f"http://{other}/metrics"]
        code = main([*arguments, "--seconds", "4"])
    lines = capsys.readouterr().out.splitlines()

    assert 0 == code, lines
    assert "queries run in naive, none empty, none wrong" in lines[-1]


def test_command_fails_when_a_panel_shows_nothing(
    two_runs: TwoRuns, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One query without data is exit code 1, and the summary names it."""
    (dashboard,) = (one for one in read() if one.title == "Generator")
    empty = replace(dashboard.questions[0], expr="loadgen_invented", panel="Empty")
    monkeypatch.setattr(
        "dashboards.datacheck.__main__.running", lambda *_: nullcontext(two_runs.api.url)
    )
    monkeypatch.setattr(
        "dashboards.datacheck.__main__.read", lambda: [replace(dashboard, questions=(empty,))]
    )
    url = "http://127.0.0.1:1/metrics"
    code = main(["--service", url, "--generator", url, "--seconds", "0"])

    assert 1 == code
    assert "WRONG Generator / Empty / A: no data" in capsys.readouterr().out


def test_command_names_every_address_it_cannot_scrape(capsys: pytest.CaptureFixture[str]) -> None:
    """All problems at once, and exit code 2."""
    code = main(["--service", "localhost:8000", "--generator", "http://a:1/metric"])

    assert 2 == code
    assert capsys.readouterr().err.splitlines() == [
        "localhost:8000 is no address to scrape: give http://host:port/metrics.",
        "http://a:1/metric is no address to scrape: give http://host:port/metrics.",
    ]


def test_command_says_how_to_get_a_missing_prometheus(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without Prometheus nothing is checked, and that is exit code 2 with a sentence."""
    monkeypatch.setenv("PROMETHEUS_BIN", str(tmp_path / "none"))
    url = "http://127.0.0.1:1/metrics"

    assert 2 == main(["--service", url, "--generator", url])
    assert "PROMETHEUS_BIN names" in capsys.readouterr().err


def test_prometheus_that_does_not_start_says_why(prometheus: Path, tmp_path: Path) -> None:
    """The end of its log is in the error."""
    with (
        pytest.raises(ServerFailed, match="scrape_everything"),
        running(prometheus, "scrape_everything: true\n", tmp_path),
    ):
        pass


def test_prometheus_that_is_gone_is_an_error() -> None:
    """Asking a server that does not answer is no empty answer."""
    with pytest.raises(QueryFailed, match="did not answer"):
        PrometheusApi("http://127.0.0.1:1").instant("up", 0)
