"""The materialised top: one worker reads Redis, all answer, and `as_of` never goes back."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from durable_service import Durable, durable_service, eventually
from free_ports import free_port
from leaderboard_client import PARTITIONS, Json, Leaderboard, send_alone
from service_process import PATIENCE_SECONDS, ServiceProcess
from valkey_process import ValkeyProcess

INTERVAL_SECONDS = 0.1
DATABASE = 11


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Durable]:
    """A service of two workers on twelve boards with a thousand players."""
    folder = tmp_path_factory.mktemp("shared-top")
    valkey = ValkeyProcess(folder)
    valkey.start()
    with durable_service(
        "partitioned",
        valkey,
        folder,
        HOTBOARD_TOP="materialised",
        HOTBOARD_TOP_INTERVAL_SECONDS=str(INTERVAL_SECONDS),
        HOTBOARD_WORKERS="2",
        PROMETHEUS_MULTIPROC_DIR=str(folder / "counts"),
    ) as durable:
        for index, partition in enumerate(PARTITIONS):
            durable.load({f"p-{index}-{n}": 12 * n + index for n in range(90)}, partition)
        yield durable
    valkey.stop()


def ask(durable: Durable, k: int = 10) -> Json:
    """The top, over a connection of its own, which either worker may accept."""
    answer = send_alone(str(durable.http.base_url), "GET", f"/v1/top?k={k}")
    assert answer.status == 200
    return answer.body


def row(durable: Durable, sql: str) -> tuple[int | str, ...]:
    """One row of the ledger's file."""
    with closing(sqlite3.connect(durable.ledger, isolation_level=None, timeout=60)) as connection:
        found: tuple[int | str, ...] | None = connection.execute(sql).fetchone()
    return found or ()


def leader(durable: Durable) -> int:
    """The process that has the lease."""
    (owner,) = row(durable, "SELECT owner FROM leases WHERE name = 'topk-aggregator'")
    return int(str(owner).partition(" ")[0])


def hold(durable: Durable, until_ms: int) -> None:
    """Have the aggregator stand still until then."""
    with closing(sqlite3.connect(durable.ledger, isolation_level=None, timeout=60)) as connection:
        connection.execute("REPLACE INTO holds VALUES ('aggregator', ?)", (until_ms,))


def test_it_is_what_a_merge_on_request_would_be(shared: Durable) -> None:
    """Every k there is, in order, within one interval of the last write."""
    best = [(12 * n + i, f"p-{i}-{n}") for i in range(12) for n in range(90)]
    expected = sorted(best, reverse=True)

    assert eventually(lambda: len(ask(shared, 1000)["entries"]) == 1000)
    for k in (1, 10, 999, 1000):
        answer = ask(shared, k)
        assert [(e["score"], e["player"]) for e in answer["entries"]] == expected[:k]
        assert (answer["source"], answer["k"]) == ("materialised", k)
        assert k <= answer["candidates"] < 12 * 1000
        assert "recovering" not in answer
    assert shared.http.get("/v1/top?k=1001").status_code == 422
    assert shared.http.get("/v1/top?season=s9").status_code == 404
    assert shared.http.get("/v1/boards").json()["capabilities"]["materialised_top"] is True


def test_a_write_is_there_after_an_interval(shared: Durable) -> None:
    """`as_of` passes the write, and then the top has it."""
    shared.submit("champion", 1_000_000)

    assert eventually(lambda: ask(shared, 1)["entries"][0]["player"] == "champion")


def test_redis_is_read_once_per_interval_whatever_is_asked(shared: Durable) -> None:
    """By the server's own count, five hundred requests cost it what none cost."""

    def reads() -> int:
        stats: Json = shared.redis.info("commandstats")
        return int(stats.get("cmdstat_zrevrange", {}).get("calls", 0))

    before = reads()
    assert eventually(lambda: reads() > before)
    started, before = time.monotonic(), reads()
    with ThreadPoolExecutor(4) as askers:
        list(askers.map(lambda _: shared.http.get("/v1/top"), range(500)))
    # The time is taken around the counts, which go on while a process is held up.
    busy, took_seconds = reads() - before, time.monotonic() - started

    # Twelve boards, some of them twice, at most once per interval by one of two workers.
    assert busy <= 24 * (took_seconds / INTERVAL_SECONDS + 1)


def test_it_never_goes_back_while_its_maker_is_killed(shared: Durable) -> None:
    """Answers follow one another over both workers; the second one takes over."""
    killed = leader(shared)
    moments = [ask(shared)["as_of"] for _ in range(100)]
    os.kill(killed, signal.SIGKILL)
    died_at = moments[-1]
    deadline = time.monotonic() + PATIENCE_SECONDS

    while not moments[-1] > died_at or leader(shared) == killed:
        assert time.monotonic() < deadline
        try:
            moments.append(ask(shared)["as_of"])
        except OSError:
            # The connection was waiting for the one that died.
            continue
    moments += [ask(shared)["as_of"] for _ in range(200)]

    assert moments == sorted(moments)
    assert leader(shared) != killed


def test_a_held_aggregator_leaves_the_last_answer_readable(shared: Durable) -> None:
    """The top stands still and says how old it is; afterwards it goes on."""

    def age_seconds() -> int:
        return int(shared.http.get("/v1/top").headers["age"])

    hold(shared, 2**53)
    shared.submit("latest", 2_000_000)
    # One more may have been under way.
    assert eventually(lambda: age_seconds() >= 2)
    held = ask(shared)
    assert eventually(lambda: age_seconds() >= 4)
    assert ask(shared) == held
    gauge = shared.sample("leaderboard_topk_as_of_timestamp_seconds")
    assert held["as_of"] == time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(gauge)) + (
        f".{int(gauge * 1_000) % 1_000:03d}Z"
    )
    hold(shared, 0)
    assert eventually(lambda: ask(shared, 1)["entries"][0]["player"] == "latest")
    assert eventually(lambda: age_seconds() == 0)


def test_it_stays_readable_without_redis(shared: Durable) -> None:
    """What was put together is not lost with the boards it came from."""
    before = ask(shared)
    shared.valkey.stop()

    answers = [ask(shared) for _ in range(20)]
    shared.valkey.start()

    assert [a["entries"] for a in answers] == [before["entries"]] * 20
    assert eventually(lambda: ask(shared)["as_of"] > answers[-1]["as_of"])
    assert eventually(lambda: ask(shared)["entries"] == before["entries"])


def _alone(valkey_url: str, folder: Path) -> ServiceProcess:
    return ServiceProcess(
        folder / "service.log",
        HOTBOARD_MODE="partitioned",
        HOTBOARD_REDIS_URL=valkey_url,
        HOTBOARD_TOP="materialised",
        HOTBOARD_TOP_INTERVAL_SECONDS=str(INTERVAL_SECONDS),
    )


def test_without_a_ledger_each_worker_makes_its_own(valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Once per interval as well, and nothing but the answer tells the difference."""
    service = _alone(valkey.url(DATABASE), tmp_path)
    with valkey.client(DATABASE) as redis:
        redis.flushdb()
        service.start()
        try:
            with service.client() as http:
                board = Leaderboard("partitioned", http, redis)
                assert eventually(lambda: http.get("/v1/top").status_code == 200)
                assert board.top(3)["entries"] == []
                board.submit("ann", 5)
                assert eventually(lambda: len(board.top(3)["entries"]) == 1)
                moments = [board.top(1)["as_of"] for _ in range(100)]
                assert moments == sorted(moments)
        finally:
            service.stop()


def test_before_there_is_one_the_answer_says_so(tmp_path: Path) -> None:
    """A service that never saw Redis has no top, and no empty one either."""
    service = _alone(f"redis://127.0.0.1:{free_port()}", tmp_path)
    service.start()
    with service.client() as http:
        answer = http.get("/v1/top")
    service.stop()

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["type"] == "urn:hotboard:problem:top-unavailable"
