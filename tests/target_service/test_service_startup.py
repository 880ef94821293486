"""How the service starts, refuses to start, shares its work among workers, and ends."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from leaderboard_client import HOME, Leaderboard, event, send_alone
from service_process import PATIENCE_SECONDS, ROOT, ServiceProcess, environment
from valkey_process import ValkeyProcess

SENT = 200


def _refused(**settings: str) -> list[str]:
    """The sentences of a service that must not start."""
    done = subprocess.run(
        [sys.executable, "-m", "target_service"],
        cwd=ROOT,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr.splitlines()


def test_bad_settings_are_all_told_at_once() -> None:
    """Exit 2, one sentence per variable, no traceback, and no password on the screen."""
    told = _refused(
        HOTBOARD_MODE="fast",
        HOTBOARD_PORT="eighty",
        HOTBOARD_REDIS_URL="http://user:secret@host",
        HOTBOARD_SEASONS="s1,s1",
        HOTBOARD_WORKERS="2",
    )

    assert [line.partition(" ")[0] for line in told] == [
        "HOTBOARD_MODE",
        "HOTBOARD_REDIS_URL",
        "HOTBOARD_SEASONS",
        "HOTBOARD_PORT",
        "HOTBOARD_WORKERS",
    ]
    assert told[0] == "HOTBOARD_MODE is 'fast': it must be naive or partitioned."
    assert "secret" not in "".join(told)


def test_the_mode_must_be_said() -> None:
    """There is no default for what the whole measurement is about."""
    assert _refused() == ["HOTBOARD_MODE is not set: it must be naive or partitioned."]


def test_workers_must_share_their_counts() -> None:
    """Two workers without a directory to share would each tell half of the truth."""
    (told,) = _refused(HOTBOARD_MODE="naive", HOTBOARD_WORKERS="2")

    assert "PROMETHEUS_MULTIPROC_DIR is not set" in told


def test_counts_need_a_place(tmp_path: Path) -> None:
    """A directory that cannot be made is told like any other bad setting."""
    (tmp_path / "file").touch()
    place = str(tmp_path / "file" / "counts")

    (told,) = _refused(HOTBOARD_MODE="naive", HOTBOARD_PORT="0", PROMETHEUS_MULTIPROC_DIR=place)

    assert "PROMETHEUS_MULTIPROC_DIR" in told


def test_a_busy_port_is_named() -> None:
    """The sentence names the variable that changes it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (told,) = _refused(HOTBOARD_MODE="naive", HOTBOARD_PORT=str(port))

    assert f"port {port}" in told
    assert "HOTBOARD_PORT" in told


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_promptly(valkey: ValkeyProcess, tmp_path: Path, stop: int) -> None:
    """Although a client keeps its connection open."""
    service = ServiceProcess(
        tmp_path / "log", HOTBOARD_MODE="naive", HOTBOARD_REDIS_URL=valkey.url(5)
    )
    service.start()
    assert service.process is not None
    with service.client() as http:
        http.get("/v1/top")
        service.process.send_signal(stop)
        service.process.wait(timeout=PATIENCE_SECONDS)

    log = service.log.read_text()
    assert "Finished server process" in log
    # It would say so had it waited for the client as long as it may.
    assert "timeout graceful shutdown exceeded" not in log
    assert "Traceback" not in log


@pytest.fixture
def shared(valkey: ValkeyProcess, tmp_path: Path) -> Iterator[Leaderboard]:
    """A service of two workers, beside an earlier service's counts and files of others."""
    counts = tmp_path / "counts"
    service = ServiceProcess(
        tmp_path / "service.log",
        HOTBOARD_MODE="partitioned",
        HOTBOARD_REDIS_URL=valkey.url(6),
        HOTBOARD_WORKERS="2",
        PROMETHEUS_MULTIPROC_DIR=str(counts),
    )
    left_over = counts / f"hotboard-{service.port}" / "counter_1.db"
    left_over.parent.mkdir(parents=True)
    left_over.write_bytes(b"left over")
    others = [counts / name for name in ("ledger.db", "counter_2.db", "note.txt")]
    for other in others:
        other.write_text("not ours")
    service.start()
    with service.client() as http, valkey.client(6) as redis:
        redis.flushdb()
        yield Leaderboard("partitioned", http, redis)
    assert service.stop() == 0
    assert [other.read_text() for other in others] == ["not ours"] * 3
    assert not left_over.exists()


def test_two_workers_count_as_one_service(shared: Leaderboard) -> None:
    """Counts sum exactly, whichever worker answers the scrape; gauges are one per service."""

    def send(index: int) -> None:
        # A connection each, so that both workers get some.
        body = event(f"player-{index}", index)
        assert send_alone(str(shared.http.base_url), "POST", "/v1/scores", body).status == 200

    with ThreadPoolExecutor(8) as senders:
        list(senders.map(send, range(SENT)))

    key = shared.board(HOME)
    for _ in range(6):
        with httpx.Client(base_url=shared.http.base_url) as http:
            samples = Leaderboard("partitioned", http, shared.redis).samples()
        assert samples["leaderboard_key_ops_total", key, "write"] == SENT
        assert samples["leaderboard_key_members_written_total", key] == SENT
        assert samples["leaderboard_redis_commands_total", "zadd"] == SENT
        assert samples["leaderboard_writes_total", "applied"] == SENT
        route = ("200", "POST", "submit")
        assert samples["leaderboard_http_request_duration_seconds_count", *route] == SENT
        assert samples["leaderboard_info", "none", "partitioned", "0.1.0"] == 1
        assert samples["leaderboard_partitions",] == 12
        assert 0 <= samples["leaderboard_board_members", key] <= SENT
    described = shared.http.get("/v1/boards").json()
    assert described["service"]["workers"] == 2
