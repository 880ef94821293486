"""Locust's page as a person sees it, in a real Chromium beside a real run."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium_window
from make_command import Checkout, Command

# long enough to look at everything, on a machine that does other things too
RUN = ("DURATION=25s", "WARMUP=1s", "PLAYERS=600")
TABLES = ("operations", "keys", "timeline", "failures")


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """A window; what it saw is left in the test's own folder."""
    folder = tmp_path / "browser"
    folder.mkdir()
    with chromium_window(folder) as window:
        yield window


def opened(checkout: Checkout, browser: Browser, *words: str) -> Command:
    """Start a run, and open its page as soon as it is printed and answers."""
    command = checkout.start(*RUN, *words)
    command.wait_for("warm-up")
    line = next(one for one in command.lines if "/?tab=hot-keys" in one)
    browser.open(line.split()[-1])
    return command


def downloaded(browser: Browser, table: str) -> list[dict[str, str]]:
    """Fetch what the link of a table leads to, as a click on it would."""
    text = browser.run(
        "const link = [...document.querySelectorAll('a')].find("
        f"a => a.innerText == 'Download {table}.csv so far');"
        "return fetch(link.href).then(answer => answer.text())"
    )
    return list(csv.DictReader(io.StringIO(text)))


def test_a_naive_run_shows_one_key_that_takes_all(
    checkout: Checkout, browser: Browser, tmp_path: Path
) -> None:
    """One row for writes, one for reads; the tables download; nothing can be edited."""
    # four downloads take their time on a machine that is busy
    command = opened(checkout, browser, "load-naive", "DURATION=50s")
    heading, *rows = browser.wait_for_rows(2)
    browser.screenshot(tmp_path / "naive.png")
    buttons = browser.run(
        "return [...document.querySelectorAll('button')]"
        ".filter(one => one.offsetParent).map(one => one.innerText.toLowerCase())"
    )
    browser.click("Download Data")
    browser.wait_for("Download operations.csv so far")
    tables = {name: downloaded(browser, name) for name in TABLES}
    code = command.wait()

    assert ["Key", "Operation", "Hits", "Share (%)", "Fair share (%)"] == heading[:5]
    assert [["lb:global:all:s1", op] for op in ("write", "read")] == [row[:2] for row in rows]
    assert [["100", "8.33", "12"]] * 2 == [row[3:6] for row in rows]
    assert "stop" in buttons
    assert "edit" not in buttons
    assert ["submit", "top", "around", "all"] == [row["operation"] for row in tables["operations"]]
    assert {"1"} == {row["share"] for row in tables["keys"]}
    assert tables["timeline"]
    assert [] == tables["failures"]
    assert (code == 0) == (checkout.run_json()["verdict"]["status"] == "pass"), command.output
    assert [] == checkout.left_after()


def test_a_partitioned_run_shows_twelve_level_keys(
    checkout: Checkout, browser: Browser, tmp_path: Path
) -> None:
    """With two workers on either side, every key has its row and no more hits than at the end."""
    workers = ("WORKERS=2", "SERVICE_WORKERS=2")
    command = opened(checkout, browser, "load-partitioned", *workers)
    _, *rows = browser.wait_for_rows(24)
    browser.screenshot(tmp_path / "partitioned.png")
    command.wait()
    hits = {(row["key"], row["op"]): int(row["hits"]) for row in checkout.table("keys.csv")}

    assert set(hits) == {(row[0], row[1]) for row in rows}
    assert all(0 < int(row[2]) <= hits[row[0], row[1]] for row in rows)
    assert 100 == pytest.approx(sum(float(row[3]) for row in rows if row[1] == "write"), abs=0.1)
    assert [] == checkout.left_after()


def test_the_stop_button_ends_the_run_as_invalid(
    checkout: Checkout, browser: Browser, tmp_path: Path
) -> None:
    """It drains, the verdict says who stopped it, and nothing is left running."""
    command = opened(checkout, browser, "load-naive")
    browser.wait_for_rows(1)
    browser.click("Stop")
    code = command.wait()
    browser.screenshot(tmp_path / "stopped.png")
    verdict = checkout.run_json()["verdict"]
    rows = checkout.table("operations.csv")

    assert 0 != code
    assert "invalid" == verdict["status"]
    assert any("stopped on Locust's page" in reason for reason in verdict["reasons"]), verdict
    for row in rows:
        assert int(row["offered"]) == int(row["sent"]) + int(row["dropped"])
        assert int(row["sent"]) == int(row["ok"]) + int(row["failed"])
    assert [] == checkout.left_after()


def test_the_start_form_of_an_old_page_is_refused(checkout: Checkout, browser: Browser) -> None:
    """What a page asks that was open before the run began changes nothing in it."""
    command = opened(checkout, browser, "load-naive")
    answer = browser.run(
        "return fetch('./swarm', {method: 'POST', body: new URLSearchParams("
        "{user_count: 9, spawn_rate: 9, host: 'http://elsewhere.example'})})"
        ".then(answer => answer.json())"
    )
    command.wait()

    assert answer["success"] is False
    assert "can be stopped, and not be changed" in answer["message"]
    assert ["6000"] == [
        row["offered"] for row in checkout.table("operations.csv") if row["operation"] == "submit"
    ]
