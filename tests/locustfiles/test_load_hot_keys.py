import csv
import json
from pathlib import Path
from typing import Any

import pytest
from gevent.socket import socket
from gevent_server import Peer, answer, serving
from hand_clock import HandClock

from locustfiles.recording import key_watch
from locustfiles.recording.key_counters import HotKey, hot_keys
from locustfiles.recording.key_watch import KeyWatch

GOLDEN = Path(__file__).resolve().parents[1] / "reports" / "golden"


def counters(hits: int, written: int = 0, *buckets: list[Any]) -> dict[str, Any]:
    """One op of a key in a snapshot."""
    return {"hits": hits, "members_written": written, "buckets": list(buckets)}


@pytest.mark.parametrize("run", ["naive", "partitioned"])
def test_the_figures_are_those_of_the_report(run: str) -> None:
    """Of the same counters, every row has the hits, share and heat of keys.csv."""
    raw = json.loads((GOLDEN / run / "raw" / "measurements.json").read_text())["keys"]
    found = hot_keys(raw["start"]["keys"], raw["end"]["keys"], 1 / 12)
    with (GOLDEN / run / "derived" / "keys.csv").open(newline="") as lines:
        rows = {(row["key"], row["op"]): row for row in csv.DictReader(lines) if row["hits"] != "0"}

    assert set(rows) == {(one.key, one.op) for one in found}
    for one in found:
        row = rows[one.key, one.op]
        assert int(row["hits"]) == one.hits
        assert float(row["share"]) == pytest.approx(one.share, abs=1e-6)
        assert float(row["heat"]) == pytest.approx(one.heat, abs=1e-6)
        assert float(row["fair_share"]) == pytest.approx(one.fair_share, abs=1e-6)
        assert row["p99_ms"] == "" or one.p99_seconds is not None


def test_writes_come_first_and_the_hottest_on_top() -> None:
    """Writes weigh by members, so the key with fewer hits can be the hotter one."""
    now = {
        "a": {"write": counters(10, 10), "read": counters(5)},
        "b": {"write": counters(1, 30), "read": counters(15)},
        "idle": {"write": counters(0, 0)},
    }
    found = [(one.key, one.op, one.share) for one in hot_keys({}, now, 1 / 12)]

    assert [
        ("b", "write", 0.75), ("a", "write", 0.25), ("b", "read", 0.75), ("a", "read", 0.25),
    ] == found  # fmt: skip


def test_the_quantile_is_interpolated_since_the_start() -> None:
    """Of 1,000 in the second bucket the slowest in a hundred lies at its 99th hundredth."""
    start = {"a": {"read": counters(7, 0, [0.1, 7], [0.2, 7], ["+Inf", 7])}}
    now = {"a": {"read": counters(1007, 0, [0.1, 7], [0.2, 1007], ["+Inf", 1007])}}
    (found,) = hot_keys(start, now, 1 / 12)

    assert 1000 == found.hits
    assert pytest.approx(0.199) == found.p99_seconds


@pytest.mark.parametrize(
    ("buckets", "seconds"),
    [
        ([[0.1, 99], ["+Inf", 99]], None),
        ([[0.1, 0], ["+Inf", 1000]], 0.1),
        ([], None),
    ],
    ids=["too few samples", "above the last bound", "no buckets"],
)
def test_a_quantile_that_cannot_be_told(buckets: list[Any], seconds: float | None) -> None:
    """Nothing rather than a guess; beyond the last bound, that bound."""
    (found,) = hot_keys({}, {"a": {"read": counters(1000, 0, *buckets)}}, 1 / 12)

    assert seconds == found.p99_seconds


def test_a_share_of_nothing_is_none() -> None:
    """A service that counts no members has hits and no share of writes."""
    (found,) = hot_keys({}, {"a": {"write": counters(3)}}, 1 / 12)

    assert HotKey("a", "write", 3, None, 1 / 12, None) == found
    assert found.heat is None


def page_of(hits: int) -> bytes:
    """A metrics page with one key."""
    return f'leaderboard_key_ops_total{{key="k",op="write"}} {hits}\n'.encode()


def test_a_watch_tells_what_it_saw_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it watches, the last reading stands for the end; then the end is the end."""
    clock = HandClock(0)
    monkeypatch.setattr(key_watch, "gevent", clock)

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            so_far.append(watch.document_so_far())
            stream.sendall(answer(page_of(10 * peer.total)))

    so_far: list[dict[str, Any]] = []
    with serving(script) as (dialer, _):
        watch = KeyWatch(dialer, 2)
        watch.run(clock)
    after = watch.document_so_far()
    first, second, third = so_far

    assert (None, None) == (first["start"], first["end"])
    assert second["start"]["keys"] == second["end"]["keys"]
    assert (None, 10) == (third["reason"], hits_moved(third))
    assert 20 == hits_moved(after)
    assert after == watch.as_document()


def hits_moved(document: dict[str, Any]) -> int:
    """The writes between both ends."""
    ends = (document[name]["keys"]["k"]["write"]["hits"] for name in ("end", "start"))
    return int(next(ends)) - int(next(ends))
