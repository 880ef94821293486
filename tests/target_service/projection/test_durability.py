"""Redis frozen, killed, restored or emptied, and two workers: nothing accepted is lost."""

import os
import random
import resource
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self

import pytest
from durable_service import TIMEOUT_SECONDS, Durable, durable_service, entries, eventually
from leaderboard_client import HOME, PARTITIONS, Json, event, path, send_alone
from valkey_process import ValkeyProcess

from target_service.projection.projector import INTERVAL_SECONDS

WRITERS = 200

# The suite is to stay quick; REPETITIONS=100 in the environment is the whole proof.
REPETITIONS = int(os.environ.get("REPETITIONS", "20"))
# What thirty clients on a busy machine may add; without the timeout they would wait for the thaw.
MARGIN_SECONDS = 30.0
_SOME = 20
REPLAYED = "leaderboard_projection_replayed_total"
BACKLOG = "leaderboard_projection_backlog"


class Writers:
    """Players that write rising scores until the block ends."""

    def __init__(self, base_url: str, threads: int = 4) -> None:
        self._base_url = base_url
        self._over = threading.Event()
        self._pool = ThreadPoolExecutor(threads)
        self._writing: list[Future[None]] = []
        self._threads = threads
        self.acknowledged: dict[str, int] = {}
        self.sent: dict[str, int] = {}
        self.statuses: set[int] = set()

    def __enter__(self) -> Self:
        self._writing = [self._pool.submit(self._write, n) for n in range(self._threads)]
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._pool.shutdown()
        for one in self._writing:
            one.result()

    def _write(self, number: int) -> None:
        score = 0
        while not self._over.is_set():
            score += 1
            player = f"writer-{number}-{score % 7}"
            body = event(player, score, PARTITIONS[score % 7])
            body |= {"event_id": f"{player}-{score}", "sequence": score}
            self.sent[player] = score
            try:
                answer = send_alone(self._base_url, "POST", "/v1/scores", body)
            except (OSError, HTTPException):
                time.sleep(0.05)
                continue
            self.statuses.add(answer.status)
            if answer.status in {200, 202}:
                self.acknowledged[player] = score
            time.sleep(0.002)

    def go_on(self) -> bool:
        """Whether most players get another score acknowledged."""
        before = dict(self.acknowledged)
        return eventually(lambda: len(self.acknowledged.items() - before.items()) >= _SOME)

    def are_kept(self, durable: Durable) -> bool:
        """Whether every score lies between the last acknowledged one and the last sent one."""
        stored = {p: score for board in durable.truth().values() for p, score in board.items()}
        return all(
            self.acknowledged[player] <= stored[player] <= self.sent[player]
            for player in self.acknowledged
        )


def _timed(durable: Durable, body: dict[str, Any]) -> tuple[int, str, float]:
    started = time.perf_counter()
    answer = send_alone(str(durable.http.base_url), "POST", "/v1/scores", body)
    return answer.status, answer.body["status"], time.perf_counter() - started


def test_a_frozen_server_makes_writes_durable_only_in_time(
    shaky_durable: Durable, own_valkey: ValkeyProcess
) -> None:
    """Thirty at once are 202 within the timeout, and all are projected once it thaws."""
    shaky_durable.submit("ann", 1)
    bodies = [event(f"p{n}", n, PARTITIONS[n % 12]) | {"event_id": f"e{n}"} for n in range(30)]
    own_valkey.freeze()
    with ThreadPoolExecutor(30) as senders:
        sent = list(senders.map(lambda body: _timed(shaky_durable, body), bodies))
    duplicate = _timed(shaky_durable, bodies[0])
    own_valkey.thaw()

    assert {(202, "durable-only")} == {answer[:2] for answer in sent}
    assert max(answer[2] for answer in sent) < TIMEOUT_SECONDS + MARGIN_SECONDS
    assert duplicate[:2] == (200, "duplicate")
    assert eventually(shaky_durable.is_level)
    assert eventually(lambda: shaky_durable.sample(REPLAYED) >= 30)
    assert eventually(lambda: "recovering" not in shaky_durable.top())
    assert eventually(lambda: shaky_durable.sample(BACKLOG) == 0)


def test_a_killed_server_comes_back_from_the_ledger(
    shaky_durable: Durable, own_valkey: ValkeyProcess
) -> None:
    """Restarted empty under load: reads say so until it is level again, and nothing is lost."""
    for partition in PARTITIONS:
        shaky_durable.load({f"old-{partition[:2]}-{n}": n for n in range(300)}, partition)
    with Writers(str(shaky_durable.http.base_url)) as writers:
        assert eventually(lambda: 200 in writers.statuses)
        own_valkey.stop()
        assert eventually(lambda: 202 in writers.statuses)
        own_valkey.start()
        answers = [shaky_durable.http.get(path(HOME, "top"), params={"k": 1000}) for _ in range(5)]
        assert writers.go_on()

    # A board that is not whole never passes for one.
    for answer in answers:
        whole = answer.status_code == 503 or "recovering" in answer.json()
        assert whole or len(answer.json()["entries"]) >= 300
    assert eventually(shaky_durable.is_level)
    assert writers.are_kept(shaky_durable)
    assert {200, 202} == writers.statuses
    assert eventually(lambda: "recovering" not in shaky_durable.top())


def test_a_board_that_redis_refuses_to_take_back_says_why(shaky_durable: Durable) -> None:
    """The write is durable and no hit of the board; the read names the refusal of a full memory."""
    shaky_durable.submit("ann", 1)
    key = shaky_durable.key()
    shaky_durable.redis.config_set("maxmemory", 1)
    shaky_durable.redis.flushall()

    def refused() -> bool:
        return shaky_durable.top().get("redis_error") == "OOM"

    assert eventually(refused)
    told = shaky_durable.top()["detail"]
    assert told.startswith(f"The board {key} in Redis is lost or behind; ")
    assert " Redis refuses to take it: OOM command not allowed" in told
    before = shaky_durable.leaderboard.samples()["leaderboard_key_ops_total", key, "write"]
    assert shaky_durable.submit("ann", 2).status_code == 202
    after = shaky_durable.leaderboard.samples()["leaderboard_key_ops_total", key, "write"]
    assert after == before

    shaky_durable.redis.config_set("maxmemory", 0)
    assert eventually(shaky_durable.is_level)


def test_an_older_dump_is_noticed_and_brought_up_to_date(
    shaky_durable: Durable, own_valkey: ValkeyProcess
) -> None:
    """Its scores are stale, not gone: reads go on, marked, until the ledger has corrected them."""
    shaky_durable.load({f"p{n}": n for n in range(100)})
    shaky_durable.redis.save()
    shaky_durable.load({f"p{n}": 1_000 + n for n in range(50)})
    assert eventually(shaky_durable.is_level)
    assert eventually(shaky_durable.is_marked)

    own_valkey.stop()
    own_valkey.start()

    assert eventually(shaky_durable.is_level)
    assert eventually(lambda: entries(shaky_durable.top())["p49"] == 1_049)
    assert shaky_durable.sample(REPLAYED) == 0


def test_an_older_dump_is_noticed_after_the_service_was_restarted_too(
    shaky_durable: Durable, own_valkey: ValkeyProcess
) -> None:
    """The ledger's file remembers what Redis had, not the memory of a process."""
    shaky_durable.load({f"p{n}": n for n in range(100)})
    shaky_durable.redis.save()
    shaky_durable.submit("p7", 5_000)
    assert eventually(shaky_durable.is_marked)

    shaky_durable.service.kill()
    own_valkey.stop()
    own_valkey.start()
    shaky_durable.service.start()

    assert eventually(shaky_durable.is_level)
    assert entries(shaky_durable.top())["p7"] == 5_000


def test_a_restart_with_its_data_is_no_rebuild(
    shaky_durable: Durable, own_valkey: ValkeyProcess
) -> None:
    """While the projector is held the write stays out; let go, exactly one is replayed."""
    shaky_durable.load({f"p{n}": n for n in range(100)})
    assert eventually(shaky_durable.is_marked)
    shaky_durable.redis.save()
    own_valkey.stop()
    late = shaky_durable.submit("p0", 9_999)
    shaky_durable.hold(2**62)
    own_valkey.start()
    assert eventually(lambda: "entries" in shaky_durable.top())
    # The projector sees that it is due, and could replay it.
    assert eventually(lambda: shaky_durable.sample(BACKLOG) == 1)
    time.sleep(2 * INTERVAL_SECONDS)

    assert late.status_code == 202
    held = shaky_durable.top()
    assert (held["recovering"], entries(held)["p0"]) == (True, 0)

    shaky_durable.hold(0)

    assert eventually(lambda: shaky_durable.sample(REPLAYED) == 1)
    assert entries(shaky_durable.top())["p0"] == 9_999
    assert "rebuilding" not in shaky_durable.service.log.read_text()


@pytest.mark.parametrize("what", ["all", "board", "companions"])
def test_keys_that_vanish_are_noticed(shaky_durable: Durable, what: str) -> None:
    """Whatever is deleted behind the service's back comes back within moments."""
    shaky_durable.load({f"p{n}": n for n in range(100)})
    key = shaky_durable.key()
    if what == "all":
        shaky_durable.redis.flushall()
    else:
        shaky_durable.redis.delete(*[key] if what == "board" else [f"{{{key}}}:versions"])
        if what == "companions":
            shaky_durable.redis.delete(f"{{{key}}}:mark")

    assert eventually(shaky_durable.is_level)
    assert eventually(lambda: shaky_durable.submit("p1", 77).status_code == 200)


def test_a_lost_player_is_not_said_to_be_unknown(shaky_durable: Durable) -> None:
    """Right after the loss the answer is that the board is gone, not that the player is."""
    shaky_durable.load({f"p{n}": n for n in range(100)})
    shaky_durable.redis.flushall()

    statuses = {
        shaky_durable.http.get(path(HOME, "players", "p7", what)).status_code
        for what in ("around", "rank")
        for _ in range(10)
    }

    assert statuses <= {200, 503}


def _is_whole(top: Json) -> bool:
    return "entries" in top and "recovering" not in top


@pytest.mark.parametrize("lost", [("",), (":mark",), ("", ":versions")])
def test_one_lost_board_is_told_by_every_read_at_once(
    shaky_durable: Durable, lost: tuple[str, ...]
) -> None:
    """While its siblings live: no read of it, nor any across all, takes it for an empty one."""
    other = PARTITIONS[5]
    shaky_durable.load({f"p{n}": 100 + n for n in range(100)})
    shaky_durable.load({f"q{n}": n for n in range(10)}, other)
    key = shaky_durable.key()
    keys = [key if not what else f"{{{key}}}{what}" for what in lost]
    for read in (
        path(HOME, "top"),
        path(HOME, "players", "p7", "around"),
        path(HOME, "players", "p7", "rank"),
        path(other, "players", "q7", "rank"),
        "/v1/top",
    ):
        assert eventually(lambda: _is_whole(shaky_durable.top()))
        shaky_durable.redis.unlink(*keys)
        told = shaky_durable.http.get(read)

        assert (503, "Board unavailable") == (told.status_code, told.json()["title"]), read
    assert eventually(shaky_durable.is_level)


def test_a_board_that_lost_something_is_not_written_to(shaky_durable: Durable) -> None:
    """A write would make a board of one out of nothing, and that would pass for a whole one."""
    shaky_durable.load({f"p{n}": n for n in range(100)})
    shaky_durable.hold(2**62)
    shaky_durable.redis.unlink(shaky_durable.key())
    written = shaky_durable.submit("p7", 5_000)
    told = shaky_durable.http.get(path(HOME, "top"))

    assert (202, 503) == (written.status_code, told.status_code)
    assert not shaky_durable.redis.exists(shaky_durable.key())
    shaky_durable.hold(0)
    assert eventually(lambda: entries(shaky_durable.top()).get("p7") == 5_000)
    assert eventually(shaky_durable.is_level)


def test_a_killed_service_keeps_what_it_accepted(
    shaky_durable: Durable,
) -> None:
    """Kill -9 under load: after the restart every accepted score is there, in both places."""
    with Writers(str(shaky_durable.http.base_url)) as writers:
        assert writers.go_on()
        shaky_durable.service.kill()
        shaky_durable.service.start()
        assert writers.go_on()

    assert eventually(shaky_durable.is_level)
    assert writers.are_kept(shaky_durable)
    assert eventually(lambda: "recovering" not in shaky_durable.top())


@pytest.fixture
def two_workers(own_valkey: ValkeyProcess, tmp_path: Path) -> Iterator[Durable]:
    """A service of two workers that share a ledger."""
    counts = str(tmp_path / "counts")
    with durable_service(
        "naive", own_valkey, tmp_path, HOTBOARD_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=counts
    ) as durable:
        yield durable


def test_the_highest_sequence_wins_on_any_worker(two_workers: Durable) -> None:
    """Shuffled sequences of one player, all at once: the highest stays, in ledger and Redis."""
    order = random.Random(5)
    base_url = str(two_workers.http.base_url)

    def send(body: dict[str, object]) -> str:
        answer = send_alone(base_url, "POST", "/v1/scores", body)
        assert answer.status in {200, 202}
        return str(answer.body["status"])

    with ThreadPoolExecutor(WRITERS) as writers:
        for repetition in range(REPETITIONS):
            player = f"player-{repetition}"
            sequences = list(range(1, WRITERS + 1))
            order.shuffle(sequences)
            bodies = [event(player, 1_000 - n) | {"sequence": n} for n in sequences]
            statuses = set(writers.map(send, bodies))

            assert statuses <= {"applied", "stale", "durable-only"}
            assert two_workers.truth()[two_workers.key()][player] == 1_000 - WRITERS
            assert eventually(
                lambda player=player: (  # type: ignore[misc]  # mypy cannot infer a default's type
                    two_workers.redis.zscore(two_workers.key(), player) == 1_000 - WRITERS
                )
            )
    assert eventually(two_workers.is_level)


def test_two_projectors_bring_a_lost_board_back(
    two_workers: Durable, own_valkey: ValkeyProcess
) -> None:
    """One of them rebuilds, both notice, and both let the reads go on afterwards."""
    two_workers.load({f"p{n}": n for n in range(500)})
    own_valkey.stop()
    own_valkey.start()

    assert eventually(two_workers.is_level)

    def all_well() -> bool:
        where = path(HOME, "top")
        base_url = str(two_workers.http.base_url)
        answers = [send_alone(base_url, "GET", where) for _ in range(10)]
        return all(one.status == 200 and "recovering" not in one.body for one in answers)

    assert eventually(all_well)


def test_a_full_disk_refuses_writes_while_reads_go_on(shaky_durable: Durable) -> None:
    """503 with Retry-After, nothing stored; writes work again once there is room."""
    shaky_durable.submit("ann", 5)
    assert shaky_durable.service.process is not None
    pid = shaky_durable.service.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, before[1]))
    refused = [shaky_durable.submit("bob", 7, event_id="bob-1") for _ in range(3)]
    read = shaky_durable.top()
    ready = shaky_durable.http.get("/readyz")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, before)

    for answer in refused:
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
        assert answer.json()["type"] == "urn:hotboard:problem:ledger-unavailable"
    assert [entry["player"] for entry in read["entries"]] == ["ann"]
    assert ready.status_code == 200
    assert eventually(lambda: shaky_durable.submit("bob", 7, event_id="bob-1").status_code == 200)
    assert eventually(shaky_durable.is_level)


def test_a_ledger_locked_by_others_is_a_503(shaky_durable: Durable) -> None:
    """The wait ends, and the refused write was not stored."""
    connection = sqlite3.connect(shaky_durable.ledger, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    refused = shaky_durable.submit("ann", 5, event_id="ann-1")
    connection.execute("ROLLBACK")
    connection.close()

    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "1"
    assert shaky_durable.submit("ann", 5, event_id="ann-1").json() == {"status": "applied"}
