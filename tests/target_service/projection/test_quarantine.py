"""Boards that Redis refuses: how long they are left alone, what is logged, and all others."""

import logging
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from durable_service import Durable, eventually
from leaderboard_client import PARTITIONS, Partition
from redis.exceptions import ResponseError
from valkey_process import ValkeyProcess

from target_service.projection import quarantine
from target_service.projection.quarantine import Quarantine

UNREADY = "leaderboard_projection_unready_boards"
ERROR = ResponseError("NOPERM of this test")


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        """The present moment."""
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The only clock that the module has."""
    clock = Clock()
    monkeypatch.setattr(quarantine, "time", clock)
    return clock


def test_pauses_grow_up_to_a_bound(clock: Clock) -> None:
    """A board that is refused again and again is left alone for longer, but never for long."""
    boards = Quarantine()
    pauses = []
    for _ in range(5):
        boards.add("lb:eu:solo:s1", ERROR)
        began = clock.seconds
        while boards.keys():
            clock.seconds += 0.25
        pauses.append(clock.seconds - began)

    assert [0.5, 1.0, 2.0, 2.0, 2.0] == pauses


def test_a_refusal_within_a_pause_changes_nothing(clock: Clock) -> None:
    """A second refusal within the pause does not make it longer."""
    boards = Quarantine()
    boards.add("lb:eu:solo:s1", ERROR)
    clock.seconds += 0.25
    boards.add("lb:eu:solo:s1", ERROR)
    clock.seconds += 0.25

    assert frozenset() == boards.keys()


@pytest.mark.usefixtures("clock")
def test_the_log_has_the_first_refusal_and_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """One line when it begins and one when it is over; none for a board that was well."""
    caplog.set_level(logging.INFO)
    boards = Quarantine()
    for key in ("lb:eu:solo:s1", "lb:eu:solo:s1", "lb:eu:duo:s1"):
        boards.add(key, ERROR)
    for key in ("lb:eu:solo:s1", "lb:eu:solo:s1", "lb:eu:squad:s1"):
        boards.release(key)

    assert [
        "The board lb:eu:solo:s1 is in quarantine: Redis refuses it (NOPERM of this test)",
        "The board lb:eu:duo:s1 is in quarantine: Redis refuses it (NOPERM of this test)",
        "Redis takes the board lb:eu:solo:s1 again",
    ] == caplog.messages
    assert {"lb:eu:duo:s1"} == boards.keys()


@contextmanager
def _restricted(durable: Durable, permissions: Mapping[str, str]) -> Iterator[None]:
    """Leave the server's only user only these permissions on some boards and their keys."""
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
    """A key of another type counts as a lost board: the board comes back, others stay."""
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
