"""One board that Redis refuses to take, a board that is none, and a commit that is slow."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from durable_service import TIMEOUT_SECONDS, Durable, eventually
from leaderboard_client import PARTITIONS, Partition
from valkey_process import ValkeyProcess

UNREADY = "leaderboard_projection_unready_boards"


@contextmanager
def _restricted(durable: Durable, permissions: Mapping[str, str]) -> Iterator[None]:
    """Leave the server's only user no more than this on some boards and what belongs to them."""
    keys: list[str] = durable.http.get("/v1/boards").json()["keys"]
    granted = [(permissions.get(key, "~"), key) for key in keys]
    _allow(
        durable, *(f"{how}{name}" for how, key in granted if how for name in (key, f"{{{key}}}:*"))
    )
    try:
        yield
    finally:
        _allow(durable, "~*")


def _allow(durable: Durable, *patterns: str) -> None:
    """Let the server's only user work on these keys alone, from now on."""
    durable.redis.execute_command("ACL", "SETUSER", "default", "resetkeys", *patterns)  # type: ignore[no-untyped-call]  # redis-py leaves it bare


def _load(durable: Durable, *partitions: Partition) -> None:
    for partition in partitions:
        durable.load({f"{'-'.join(partition)}-{n}": n for n in range(50)}, partition)
    assert eventually(durable.is_level)


def _write(durable: Durable, partition: Partition, number: int) -> tuple[int, str]:
    answer = durable.submit(f"{'-'.join(partition)}-{number}", 500 + number, partition)
    return answer.status_code, answer.json()["status"]


def _is_well(durable: Durable) -> bool:
    readable = all("entries" in (top := durable.top(one)) for one in PARTITIONS[:3])
    return readable and "recovering" not in top and durable.sample(UNREADY) == 0


def test_keys_of_another_type_are_replaced(shaky_durable: Durable) -> None:
    """What is no board under a board's name is a lost board: it comes back, others never went."""
    *broken, other = PARTITIONS[:4]
    _load(shaky_durable, *broken, other)
    names = ("{}", "{{{}}}:versions", "{{{}}}:mark")
    keys = [name.format(shaky_durable.key(one)) for name, one in zip(names, broken, strict=True)]
    for key in keys:
        shaky_durable.redis.delete(key)
        shaky_durable.redis.set(key, "no board")

    assert (200, "applied") == _write(shaky_durable, other, 7)
    assert {_write(shaky_durable, one, 7)[0] for one in broken} <= {200, 202}
    assert eventually(lambda: "string" not in map(shaky_durable.redis.type, keys))
    assert eventually(shaky_durable.is_level)
    assert eventually(lambda: _is_well(shaky_durable))


def test_a_refused_board_stops_no_other(shaky_durable: Durable, own_valkey: ValkeyProcess) -> None:
    """Others are replayed meanwhile; the log names it once; allowed again, it has everything."""
    closed, read_only, other = PARTITIONS[:3]
    _load(shaky_durable, closed, read_only, other)
    refused = {shaky_durable.key(closed): "", shaky_durable.key(read_only): "%R~"}
    with _restricted(shaky_durable, refused):
        own_valkey.freeze()
        with ThreadPoolExecutor(3) as senders:
            boards = (closed, read_only, other)
            sent = set(senders.map(lambda one: _write(shaky_durable, one, 1), boards))
        own_valkey.thaw()

        def other_has_it() -> bool:
            score = shaky_durable.redis.zscore(shaky_durable.key(other), f"{'-'.join(other)}-1")
            return score == 501

        assert {(202, "durable-only")} == sent
        assert eventually(other_has_it)
        assert eventually(lambda: shaky_durable.sample(UNREADY) == 2)
        # as long as they are tried again
        time.sleep(1)
        assert (202, "durable-only") == _write(shaky_durable, closed, 2)
        assert (202, "durable-only") == _write(shaky_durable, read_only, 2)
        assert (200, "applied") == _write(shaky_durable, other, 2)

    assert eventually(shaky_durable.is_level)
    assert eventually(lambda: _is_well(shaky_durable))
    log = shaky_durable.service.log.read_text()
    assert [1, 1] == [log.count(f"The board {key} is in quarantine") for key in refused]


def test_a_slow_commit_leaves_redis_its_time(shaky_durable: Durable) -> None:
    """A write that waited for the disk longer than Redis may take is applied all the same."""
    shaky_durable.submit("ann", 1)
    connection = sqlite3.connect(shaky_durable.ledger, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(2) as senders:
        one = senders.submit(shaky_durable.submit, "ann", 2)
        many = senders.submit(shaky_durable.load, {"bob": 3, "cid": 4})
        time.sleep(TIMEOUT_SECONDS + 1)
        was_waiting = not (one.done() or many.done())
        connection.execute("ROLLBACK")
    connection.close()

    assert was_waiting
    assert (200, "applied") == (one.result().status_code, one.result().json()["status"])
    assert 200 == many.result().status_code
