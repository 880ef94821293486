"""The audit of members finds what is wrong, wherever it is."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from redis import Redis

from lab.audit import achievements as achievements_file
from lab.audit import run_audit
from lab.audit.achievements import STREAM, AchievementsFile, achievements_invariants
from lab.audit.evidence import Counters
from lab.audit.ledger_file import LedgerFile
from lab.errors import UsageError
from lab.stack.redis import KnownServer, clear_boards, connect, embedded_redis, find_server
from lab.stack.stack import Session

BOARD = "achievements:points:acme"
TRACK = {"achievement": "host", "counter": "signups"}
LEVELS = [{"at": 1, "points": 10}, {"at": 10, "points": 30}]
COUNTS = dict.fromkeys(("scanned", "changed", "unchanged", "unlocked"), 2)
SWEEP = {"number": 1, "ended_at": "2026-09-06T04:40:01.000Z", "seconds": 0.5, **COUNTS}
PAGE = {"achievements": [{**TRACK, "levels": LEVELS}]}
ANSWERS: dict[str, Any] = {
    "/v1/sweeps": SWEEP,
    "/v1/members/ann/achievements": PAGE,
    "/v1/organizations/acme/leaderboard": {},
}
TABLES = """
CREATE TABLE member_counters (member, tracking_code, organization, signups);
CREATE TABLE achievement_standings (member, points, host_total, host_level);
CREATE TABLE achievement_unlocks (number, member, achievement, level);
CREATE TABLE achievement_state (published_to);
CREATE TABLE counter_events (event_id);
INSERT INTO member_counters VALUES ('ann', 'a', 'acme', 12), ('bob', 'b', 'acme', 0);
INSERT INTO member_counters VALUES ('eve', NULL, 'acme', 5);
INSERT INTO achievement_standings VALUES ('ann', 40, 12, 2);
INSERT INTO achievement_unlocks VALUES (1, 'ann', 'host', 1), (2, 'ann', 'host', 2);
INSERT INTO achievement_state VALUES (2);
INSERT INTO counter_events VALUES ('e-1'), ('e-2'), ('e-3');
"""
MEASUREMENTS = {"operations": {"count": {"all": {"statuses": {"applied": 3}, "unknown": 1}}}}


class _Handler(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(ANSWERS[self.path]).encode())

    do_GET = do_POST = _answer  # noqa: N815  (http.server's names)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Stack:
    """A service that answers, and the redis behind it."""

    def __init__(self, port: int, redis_url: str) -> None:
        self.service_url = f"http://127.0.0.1:{port}"
        self.redis_url = redis_url

    def failure(self) -> None:
        """Nothing has died."""

    def service_processes(self) -> frozenset[tuple[int | str, float | str]]:
        """Nobody asks."""
        return frozenset()


@pytest.fixture
def redis(tmp_path: Path, session: Session) -> Iterator[Redis]:
    """A server that holds what the file says."""
    part, url = embedded_redis("The Redis server", find_server(None), tmp_path, session)
    part.begin()
    with connect(url) as client:
        client.zadd(BOARD, {"ann": 40, "bob": 0, "eve": 0})
        _publish(client, (1, 1), (2, 2))
        yield client
    part.end()


@pytest.fixture
def stack(redis: Redis) -> Iterator[Stack]:
    """A service that has swept, on a free port, and that server."""
    port = redis.connection_pool.connection_kwargs["port"]
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Stack(server.server_port, f"redis://127.0.0.1:{port}/0")
        server.shutdown()


@pytest.fixture
def file(tmp_path: Path) -> AchievementsFile:
    """A ledger's file with three members, one without a tracking code."""
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    return AchievementsFile(path)


def _publish(client: Redis, *frames: tuple[int, int]) -> None:
    """Put frames on the stream, by number and level."""
    for number, level in frames:
        fields = {"member": "ann", "achievement": "host", "level": str(level)}
        client.xadd(STREAM, fields, id=f"{number}-0")  # type: ignore[arg-type]  # its stub wants bytes


def _found(stack: Stack, file: AchievementsFile) -> list[tuple[int, int, bool]]:
    invariants = achievements_invariants(stack, file, MEASUREMENTS)
    return [(one.left, one.right, one.held) for one in invariants]


def _change(file: AchievementsFile, statement: str) -> None:
    with closing(sqlite3.connect(file.path)) as connection, connection:
        connection.execute(statement)


def test_what_is_right_holds(stack: Stack, file: AchievementsFile) -> None:
    """Events, standings, boards and frames, each with both counts."""
    assert [
        (3, 3, True),
        (3, 4, True),
        (2, 2, True),
        (3, 3, True),
        (2, 2, True),
    ] == _found(stack, file)


@pytest.mark.parametrize(
    ("statement", "place", "found"),
    [
        ("DELETE FROM counter_events WHERE event_id = 'e-1'", 0, (3, 2, False)),
        ("INSERT INTO counter_events VALUES ('e-4'), ('e-5')", 1, (5, 4, False)),
        ("UPDATE member_counters SET signups = 13 WHERE member = 'ann'", 2, (1, 2, False)),
        ("UPDATE achievement_standings SET host_level = 1", 2, (1, 2, False)),
        ("UPDATE achievement_standings SET points = 41", 2, (1, 2, False)),
        ("UPDATE member_counters SET signups = 1 WHERE member = 'bob'", 2, (1, 2, False)),
        ("UPDATE achievement_standings SET points = 41", 3, (2, 3, False)),
        ("DELETE FROM achievement_unlocks WHERE number = 2", 4, (1, 2, False)),
    ],
)
def test_what_is_wrong_in_the_file_is_found(
    stack: Stack,
    file: AchievementsFile,
    statement: str,
    place: int,
    found: tuple[int, int, bool],
) -> None:
    """A lost or invented event, a stale total, a wrong level or points, a missing unlock."""
    _change(file, statement)

    assert found == _found(stack, file)[place]


def test_what_is_wrong_in_redis_is_found(
    stack: Stack, file: AchievementsFile, redis: Redis
) -> None:
    """A member who should not be there, one who is missing, a frame twice, frames out of order."""
    redis.zrem(BOARD, "eve")
    redis.zadd(BOARD, {"zoe": 1})
    _publish(redis, (3, 2))
    assert [(2, 4, False), (2, 3, False)] == _found(stack, file)[3:]

    redis.delete(STREAM)
    _publish(redis, (1, 2), (2, 1))
    assert (0, 2, False) == _found(stack, file)[4]


def test_frames_that_the_stream_has_dropped_were_there(
    stack: Stack, file: AchievementsFile, redis: Redis
) -> None:
    """A stream keeps a bounded number; it says itself how many were added."""
    redis.xtrim(STREAM, maxlen=1, approximate=False)

    assert (2, 2, True) == _found(stack, file)[4]


def test_nothing_is_counted_before_all_unlocks_are_published(
    stack: Stack, file: AchievementsFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis would have executed what the service, asked a moment earlier, had not counted yet."""
    (tmp_path / "measurements.json").write_text(json.dumps(MEASUREMENTS))
    _change(file, "UPDATE achievement_state SET published_to = 0")
    happened: list[str] = []

    def publish_one(_: float) -> None:
        happened.append("one published")
        _change(file, "UPDATE achievement_state SET published_to = published_to + 1")

    def count(*_: object) -> dict[str, list[object]]:
        happened.append("counted")
        return {"invariants": [], "not_comparable": []}

    clock = SimpleNamespace(monotonic=lambda: 0.0, sleep=publish_one)
    monkeypatch.setattr(achievements_file, "time", clock)
    monkeypatch.setattr(run_audit, "audit_run", count)
    before = Counters(frozenset(), "", 0, {}, {}, {})
    ledger = LedgerFile(file.path, "naive")
    audited = run_audit.audit_with_members(before, stack, tmp_path, ledger, "")

    assert ["one published", "one published", "counted"] == happened
    assert [True] * 5 == [one["held"] for one in audited["invariants"]]
    assert [] == audited["not_comparable"]


def test_a_database_that_holds_only_ours_may_be_used_again(redis: Redis) -> None:
    """Boards and streams of members are unlinked by name; a key of somebody else's stays."""
    port = redis.connection_pool.connection_kwargs["port"]
    server = KnownServer(f"redis://127.0.0.1:{port}/0", "REDIS_URL", "choose another")
    redis.set("{achievements:unlocks}:ledger", "x")
    redis.set("lb:eu:solo:s1", "x")
    redis.set("theirs", "x")
    with pytest.raises(UsageError, match=r"holds keys that are not ours \('theirs'\)"):
        clear_boards(server, ["lb:eu:solo:s1"])
    assert 5 == redis.dbsize()

    redis.delete("theirs")
    assert 4 == clear_boards(server, ["lb:eu:solo:s1"])
    assert 0 == redis.dbsize()
