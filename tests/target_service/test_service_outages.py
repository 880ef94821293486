"""Redis frozen, gone, restarted or emptied of scripts: refused in time, and well again after."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from durable_service import TIMEOUT_SECONDS, eventually
from leaderboard_client import HOME, PARTITIONS, Leaderboard, Response, event, path, send_alone
from service_process import ServiceProcess
from valkey_process import ValkeyProcess

# What thirty clients on a busy machine may add; without the timeout they would wait for the thaw.
MARGIN_SECONDS = 30.0
COMMANDS = ("zadd", "zrevrange", "zrevrank", "zscore", "zcount", "evalsha")


@pytest.fixture
def shaky(own_valkey: ValkeyProcess, tmp_path: Path) -> Iterator[Leaderboard]:
    """A partitioned service on a server that the test may freeze and restart."""
    service = ServiceProcess(
        tmp_path / "service.log",
        HOTBOARD_MODE="partitioned",
        HOTBOARD_REDIS_URL=own_valkey.url(),
        HOTBOARD_REDIS_TIMEOUT_SECONDS=str(TIMEOUT_SECONDS),
    )
    service.start()
    with service.client() as http, own_valkey.client() as redis:
        yield Leaderboard("partitioned", http, redis)
    service.stop()


def _requests() -> list[tuple[str, str]]:
    players = path(HOME, "players", "ann")
    reads = ["/v1/top", path(HOME, "top"), players + "/around", players + "/rank", "/readyz"]
    return [("GET", where) for where in reads] + [("POST", "/v1/scores")]


def _send(leaderboard: Leaderboard, method: str, where: str) -> tuple[Response, float]:
    body = event("ann", 9) if method == "POST" else None
    started = time.perf_counter()
    answer = send_alone(str(leaderboard.http.base_url), method, where, body)
    return answer, time.perf_counter() - started


def _check_refused(answer: Response) -> None:
    assert answer.status == 503
    assert answer.headers["retry-after"] == "1"
    assert answer.body["type"] == "urn:hotboard:problem:redis-unavailable"


def test_a_frozen_server_is_a_503_in_time_and_nothing_is_stuck_afterwards(
    shaky: Leaderboard, own_valkey: ValkeyProcess
) -> None:
    """Thirty requests at once during a freeze: each refused in time, all well after it."""
    for index, partition in enumerate(PARTITIONS):
        shaky.submit(f"player-{index}", index, partition)
    own_valkey.freeze()
    with ThreadPoolExecutor(30) as senders:
        sent = senders.map(lambda request: _send(shaky, *request), _requests() * 5)
        for answer, seconds in sent:
            _check_refused(answer)
            assert seconds < TIMEOUT_SECONDS + MARGIN_SECONDS
    described = shaky.http.get("/v1/boards")
    assert described.json()["redis"] is None

    own_valkey.thaw()
    assert eventually(lambda: shaky.http.get("/readyz").status_code == 200)

    for index, partition in enumerate(PARTITIONS):
        ranked = shaky.rank(f"player-{index}", partition)
        assert (f"player-{index}", index) == (ranked["player"], ranked["score"])


def test_what_the_server_ran_lies_between_answered_and_unknown(
    shaky: Leaderboard, own_valkey: ValkeyProcess
) -> None:
    """For every board command, through a freeze and a lost script."""
    for command in ("around", "rank"):
        shaky.http.get(path(HOME, "players", "ann", command))
    shaky.redis.script_flush()
    for index in range(5):
        shaky.submit("ann", index)
        shaky.around("ann", 1)
    own_valkey.freeze()
    with ThreadPoolExecutor(6) as senders:
        list(senders.map(lambda request: _send(shaky, *request), _requests()))
    own_valkey.thaw()
    assert eventually(lambda: shaky.http.get("/readyz").status_code == 200)
    shaky.rank("ann")

    samples = shaky.samples()
    ran = shaky.redis.info("commandstats")
    unknown_in_all = 0.0
    for command in COMMANDS:
        answered = samples["leaderboard_redis_commands_total", command]
        unknown = samples["leaderboard_redis_unknown_total", command]
        calls = ran.get(f"cmdstat_{command}", {"calls": 0})["calls"]
        assert answered <= calls <= answered + unknown, command
        unknown_in_all += unknown
    assert unknown_in_all > 0


def test_a_server_that_is_gone_is_a_503_and_its_successor_is_found(
    shaky: Leaderboard, own_valkey: ValkeyProcess
) -> None:
    """Alive but not ready; and a restarted server needs no restarted service."""
    shaky.submit("ann", 1)
    own_valkey.stop()
    for request in _requests():
        answer, seconds = _send(shaky, *request)
        _check_refused(answer)
        assert seconds < TIMEOUT_SECONDS + MARGIN_SECONDS
    assert shaky.http.get("/healthz").status_code == 200

    own_valkey.start()

    assert shaky.submit("ann", 2).status_code == 200
    assert shaky.rank("ann")["score"] == 2
    assert shaky.http.get("/readyz").status_code == 200


def test_a_lost_script_is_loaded_again(shaky: Leaderboard) -> None:
    """SCRIPT FLUSH costs one more call and no failure."""
    shaky.submit("ann", 1)
    for _ in range(2):
        assert shaky.around("ann", 1)["position"] == 1
        assert shaky.rank("ann")["rank"] == 1
        shaky.redis.script_flush()


def test_what_redis_refuses_is_named(shaky: Leaderboard) -> None:
    """With Redis' own code and words, for whoever reads and for the generator; nothing was hit."""
    shaky.submit("ann", 1)
    shaky.redis.replicaof("127.0.0.1", "1")
    hits = shaky.samples()["leaderboard_key_ops_total", shaky.board(HOME), "write"]

    refused = shaky.submit("ann", 2)

    assert (refused.status_code, refused.json()["redis_error"]) == (503, "READONLY")
    assert refused.json()["detail"] == (
        "Redis refused: READONLY You can't write against a read only replica."
    )
    now = shaky.samples()["leaderboard_key_ops_total", shaky.board(HOME), "write"]
    assert now == hits
    shaky.redis.replicaof("NO", "ONE")


def test_a_key_of_another_kind_is_refused(shaky: Leaderboard) -> None:
    """A board key that somebody else filled is no reason for a 500."""
    shaky.redis.set(shaky.board(HOME), "not a board")

    for method, where in _requests():
        if where != "/readyz":
            _check_refused(_send(shaky, method, where)[0])
