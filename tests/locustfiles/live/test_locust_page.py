"""Locust's page beside a run: what is added to it, and what it must not do."""

import csv
import http
import io
import json
import signal
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from free_ports import free_port
from locust_runs import (
    PATIENCE_SECONDS,
    LocustRun,
    Stub,
    side_by_side,
    start_locust,
    unequal,
    until,
    with_page,
)

SECONDS = 10
RATES = {"submit": 48, "top": 5, "around": 15}
SMALL = ("--scale", "0.0002", "--players", "60", "--warmup", "0")
START = {"user_count": "3", "spawn_rate": "3", "host": "http://elsewhere.example"}


@dataclass(frozen=True)
class Answer:
    """What a page answered."""

    status: int
    text: str
    headers: Mapping[str, str]

    def json(self) -> Any:  # noqa: ANN401  whatever it holds
        """Read the text."""
        return json.loads(self.text)


@dataclass(frozen=True)
class Page:
    """Locust's page at a port."""

    port: int

    def get(self, path: str, **headers: str) -> Answer:
        """Read something."""
        return self._ask(urllib.request.Request(self._url(path), headers=headers))  # noqa: S310

    def post(self, path: str, content: dict[str, str] | None = None, **headers: str) -> Answer:
        """Send a form."""
        body = urllib.parse.urlencode(content or {}).encode()
        return self._ask(urllib.request.Request(self._url(path), body, headers))  # noqa: S310

    def is_up(self) -> bool:
        """Whether anybody answers."""
        try:
            return self.get("/").status == 200
        except OSError:
            return False

    def shows_keys(self) -> list[dict[str, Any]]:
        """The rows of the tab."""
        (tab,) = self.get("/stats/requests").json()["extended_stats"]
        rows: list[dict[str, Any]] = tab["data"]
        return rows

    def table(self, name: str) -> Answer:
        """A table so far; on a machine that is too busy to make it, it is asked for again."""
        answers: list[Answer] = []

        def is_there() -> bool:
            answers.append(self.get(f"/hotboard/{name}.csv"))
            return answers[-1].status != http.HTTPStatus.SERVICE_UNAVAILABLE

        until(is_there, f"{name}.csv is there")
        return answers[-1]

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def _ask(self, request: urllib.request.Request) -> Answer:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310  our page
                return Answer(answer.status, answer.read().decode(), dict(answer.headers))
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read().decode(), dict(error.headers))


@dataclass
class Seen:
    """What was asked while a run went on, and how it ended."""

    run: LocustRun
    answers: dict[str, Answer]
    keys: list[dict[str, Any]]


def watched(stub: Stub, directory: Path, workers: int) -> Seen:
    """A whole run whose page is used in every way but to stop it."""
    page = Page(free_port())
    options = (*SMALL, "--duration", str(SECONDS))
    run = start_locust(stub.url, directory, *options, workers=workers, page=with_page(page.port))
    until(page.is_up, "the page is up")
    until(page.shows_keys, "the page shows keys")
    seen = Seen(run, {}, page.shows_keys())
    seen.answers |= {
        "index": page.get("/"),
        "unknown": page.get("/hotboard/run.csv"),
        "read from elsewhere": page.get("/stats/requests", Origin="http://elsewhere.example"),
        "start": page.post("/swarm", START),
        "user": page.post("/user", START),
        "stop from elsewhere": page.post("/stop", Origin="http://elsewhere.example"),
        "start from elsewhere": page.post("/swarm", START, Origin="http://elsewhere.example"),
    }
    run.wait()
    return seen


@pytest.fixture(scope="module")
def runs(
    make_stub: Callable[..., Stub], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Seen]:
    """The same run in one process and with two workers."""
    folder = tmp_path_factory.mktemp("pages")
    return side_by_side(
        {
            name: partial(watched, make_stub(), folder / name, workers)
            for name, workers in (("alone", 0), ("workers", 2))
        }
    )


@pytest.fixture(params=["alone", "workers"])
def seen(runs: dict[str, Seen], request: pytest.FixtureRequest) -> Seen:
    """What was seen of one of them."""
    return runs[request.param]


def test_a_watched_run_ends_by_itself_and_whole(seen: Seen) -> None:
    """The page changes neither the exit code nor the numbers, whatever was asked of it."""
    measured = seen.run.measurements

    assert 0 == seen.run.main.returncode, seen.run.output
    assert "completed" == measured["ended"]
    assert {name: rate * SECONDS for name, rate in RATES.items()} == {
        name: one["offered"] for name, one in measured["operations"].items()
    }
    assert "Traceback" not in seen.run.output
    assert seen.run.facts["target"].startswith("http://127.0.0.1")


def test_the_tab_shows_each_key(seen: Seen) -> None:
    """In naive mode one key takes twelve fair shares of all writes and reads."""
    shown = [
        (row["key"], row["op"], row["share_percent"], row["fair_share_percent"], row["heat"])
        for row in seen.keys
    ]

    assert [("lb:global:all:s1", op, 100.0, 8.33, 12.0) for op in ("write", "read")] == shown
    assert all(0 < row["hits"] < SECONDS * sum(RATES.values()) for row in seen.keys)


def test_the_page_offers_tab_and_tables_and_no_edit(seen: Seen) -> None:
    """All of it on Locust's own first page."""
    index = seen.answers["index"].text

    assert '"title": "Hot keys"' in index
    assert index.count("./hotboard/") == 4
    assert "display: none" in index


@pytest.fixture(scope="module")
def stopped(make_stub: Callable[..., Stub], tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """A run that is long enough for any machine to make tables of it, and then stopped."""
    stub, page = make_stub(), Page(free_port())
    options = (*SMALL, "--duration", "300")
    where = tmp_path_factory.mktemp("stopped") / "run"
    run = start_locust(stub.url, where, *options, page=with_page(page.port))
    until(page.is_up, "the page is up")
    until(page.shows_keys, "the page shows keys")
    answers = {name: page.table(name) for name in ("operations", "keys")}
    answers["stop"] = page.post("/stop")
    run.wait()
    assert stub.hits() == sum(one["all"]["ok"] for one in run.measurements["operations"].values())
    return Seen(run, answers, [])


def test_the_tables_so_far_are_those_of_the_report(stopped: Seen) -> None:
    """They are whole, and hold less than those at the end."""
    answer = stopped.answers["operations"]
    whole = stopped.run.measurements["operations"]["submit"]["offered"]
    rows = {row["operation"]: row for row in csv.DictReader(io.StringIO(answer.text))}

    assert 200 == answer.status
    assert "attachment" in answer.headers["Content-Disposition"]
    assert ["submit", "top", "around", "all"] == list(rows)
    assert 0 < int(rows["submit"]["offered"]) < whole


def test_keys_so_far_are_known_before_the_measured_phase_ends(stopped: Seen) -> None:
    """The last reading stands for the end."""
    rows = list(csv.DictReader(io.StringIO(stopped.answers["keys"].text)))

    assert {("lb:global:all:s1", "1"), ("lb:global:all:s1", "1")} == {
        (row["key"], row["share"]) for row in rows
    }


def test_there_is_no_other_table(seen: Seen) -> None:
    """A name leads to a table or nowhere."""
    assert 404 == seen.answers["unknown"].status


def test_a_second_load_is_refused(seen: Seen) -> None:
    """With a sentence, in the form that Locust's page shows."""
    for what in ("start", "user"):
        answer = seen.answers[what].json()

        assert answer["success"] is False
        assert answer["message"].endswith(".")


def test_another_origin_reads_and_does_nothing(seen: Seen) -> None:
    """An open page can show the run, as Locust allows, and not change it."""
    assert 200 == seen.answers["read from elsewhere"].status
    assert "Access-Control-Allow-Origin" in seen.answers["read from elsewhere"].headers
    assert 403 == seen.answers["stop from elsewhere"].status
    assert 403 == seen.answers["start from elsewhere"].status


def test_stop_drains_and_says_who_stopped(stopped: Seen) -> None:
    """The page's stop ends the run as incomplete, with files that add up."""
    assert 200 == stopped.answers["stop"].status
    assert 3 == stopped.run.main.returncode, stopped.run.output
    assert "stopped on Locust's page" == stopped.run.measurements["end_reason"]
    assert [] == unequal(stopped.run.measurements)


def test_a_run_that_waits_for_its_start_button(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """As in compose: no table before the start, one run whatever number of users is asked for."""
    stub, page = make_stub(), Page(free_port())
    waiting = with_page(page.port, starts_by_itself=False)
    options = (*SMALL, "--duration", "2")
    run = start_locust(stub.url, tmp_path / "run", *options, workers=1, page=waiting)
    until(page.is_up, "the page is up")
    until(lambda: page.get("/worker-count").json()["worker_count"], "the worker is there")
    before = page.get("/hotboard/operations.csv")
    first, second = page.post("/swarm", START | {"user_count": "7"}), page.post("/swarm", START)

    assert 0 == run.wait(), run.output
    assert (503, "not begun") == (before.status, before.text[12:21])
    assert (True, False) == (first.json()["success"], second.json()["success"])
    assert RATES["submit"] * 2 == run.measurements["operations"]["submit"]["offered"]


def test_our_tables_need_the_login_that_locusts_do(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """With --web-login the tables and keys need the same login as Locust's own."""
    page = Page(free_port())
    options = (*SMALL, "--duration", "300", "--web-login")
    run = start_locust(make_stub().url, tmp_path / "run", *options, page=with_page(page.port))
    until(lambda: _answers(page), "the page is up")
    ours, theirs = page.get("/hotboard/keys.csv"), page.get("/stats/requests/csv")
    statistics = page.get("/stats/requests").text
    run.interrupt(signal.SIGTERM)
    run.wait()

    assert (theirs.status, theirs.text) == (ours.status, ours.text)
    assert "lb:global" not in statistics


def _answers(page: Page) -> bool:
    try:
        return bool(page.get("/login").status)
    except OSError:
        return False


def test_a_taken_port_of_the_page_is_named_with_its_variable(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """Locust alone would end without a word."""
    stub = make_stub()
    run = start_locust(stub.url, tmp_path / "run", page=with_page(int(stub.url.rpartition(":")[2])))

    assert 2 == run.wait()
    assert "LOCUST_PORT=<port>" in run.output
    assert not run.directory.exists()
