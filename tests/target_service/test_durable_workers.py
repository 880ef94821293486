"""Two workers on one ledger, and a disk that takes nothing more."""

import os
import random
import resource
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from durable_service import Durable, durable_service, eventually
from leaderboard_client import HOME, event, path, send_alone
from valkey_process import ValkeyProcess

WRITERS = 200
# The suite is to stay quick; REPETITIONS=100 in the environment is the whole proof.
REPETITIONS = int(os.environ.get("REPETITIONS", "20"))


@pytest.fixture
def two_workers(own_valkey: ValkeyProcess, tmp_path: Path) -> Iterator[Durable]:
    """A service of two workers that share a ledger."""
    counts = str(tmp_path / "counts")
    with durable_service(
        "naive", own_valkey, tmp_path, HOTBOARD_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=counts
    ) as durable:
        yield durable


def test_the_highest_sequence_wins_whoever_takes_it(two_workers: Durable) -> None:
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
    """503 that says when to come back; nothing of it is stored; well again when there is room."""
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


def test_a_ledger_that_others_keep_is_a_503(shaky_durable: Durable) -> None:
    """Nothing waits for ever, and the write that was refused was not stored."""
    connection = sqlite3.connect(shaky_durable.ledger, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    refused = shaky_durable.submit("ann", 5, event_id="ann-1")
    connection.execute("ROLLBACK")
    connection.close()

    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "1"
    assert shaky_durable.submit("ann", 5, event_id="ann-1").json() == {"status": "applied"}
