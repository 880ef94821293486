"""A whole run against a compose stack: real Redis, service and generator, a pretended docker."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from free_ports import free_port
from pretend_docker import PretendDocker, install

from lab.cli.variables import Variables
from lab.stack.compose import compose_environment
from lab.stack.redis import answers, connect, find_server
from workload.assumptions import Assumptions

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("workload", "target_service", "locustfiles", "lab", "reports")
SMALL = {
    "SCALE": "0.0005",
    "PLAYERS": "300",
    "DURATION": "1s",
    "WARMUP": "0s",
    "LOCUST_UI": "0",
    "LEDGER": "none",
}
SECONDS = 90
LEDGER_INVARIANTS = [
    "ledger: events told as accepted ≤ rows",
    "ledger: rows ≤ told + unknown",
    "ledger: players whose highest accepted sequence it holds, or a later one = players",
    "ledger: changes left to be projected = 0",
    "ledger = projection: entries in both = entries in either",
]


@dataclass(frozen=True)
class Checkout:
    """A copy of the code, whose compose stack is up."""

    root: Path
    docker: PretendDocker
    redis_url: str
    service_url: str

    def start(self, **variables: str) -> subprocess.Popen[str]:
        """Start what `make load-*` starts."""
        path = f"{self.docker.folder}{os.pathsep}{os.environ['PATH']}"
        own = {"PATH": path, "LOADGEN_PORT": str(free_port())}
        return subprocess.Popen(
            [sys.executable, "-u", "-m", "lab", "load"],
            cwd=self.root,
            env={**os.environ, **SMALL, **own, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def load(self, **variables: str) -> tuple[int, str]:
        """Let it run to its end: exit code and output."""
        with self.start(**variables) as process:
            output, _ = process.communicate(timeout=SECONDS)
        return process.returncode, output

    @property
    def service_pid(self) -> int:
        """The process that stands for the service's container."""
        return self.docker.pid_of("target_service")

    def read(self, name: str) -> dict[str, Any]:
        """Read a file of the only run."""
        (path,) = (self.root / "reports" / "runs").glob(f"*/{name}")
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content


@contextmanager
def redis_server(folder: Path) -> Iterator[tuple[int, int]]:
    """Run a server, and give its port and its pid."""
    port = free_port()
    command = [str(find_server(None)), "--port", str(port), "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            while not answers(f"redis://127.0.0.1:{port}/0"):
                assert process.poll() is None
            yield port, process.pid
        finally:
            process.terminate()


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    """A stack in partitioned mode, as `make up MODE=partitioned` leaves it."""
    root = tmp_path / "checkout"
    for package in PACKAGES:
        left_out = shutil.ignore_patterns("runs", "comparisons")
        shutil.copytree(ROOT / package, root / package, ignore=left_out)
    service_port = free_port()
    with redis_server(tmp_path) as (redis_port, redis_pid):
        redis_url = f"redis://127.0.0.1:{redis_port}/0"
        ports = {"redis": redis_port, "target_service": service_port}
        docker = install(tmp_path / "bin", root, ports)
        docker.set_process("redis", redis_pid)
        url = f"http://127.0.0.1:{service_port}"
        docker.change(
            service={
                "command": [sys.executable, "-m", "target_service"],
                "environment": {
                    "HOTBOARD_REDIS_URL": redis_url,
                    "HOTBOARD_PORT": str(service_port),
                },
                "folder": str(root),
                "ready": f"{url}/readyz",
                "log": str(tmp_path / "service.log"),
                "ledgers": str(tmp_path),
            }
        )
        as_make_up = compose_environment(
            Variables(mode="partitioned", ledger="none"), Assumptions()
        )
        subprocess.run([docker.folder / "docker", "compose", "up"], env=as_make_up, check=True)
        made = Checkout(root, docker, redis_url, url)
        try:
            yield made
        finally:
            if psutil.pid_exists(made.service_pid):
                os.kill(made.service_pid, signal.SIGTERM)


def test_run_switches_the_mode_and_is_audited(checkout: Checkout) -> None:
    """The former boards are gone, every count agrees, and the stack stays up in its new mode."""
    former = checkout.service_pid
    checkout.docker.set_state("prometheus", "exited")
    with connect(checkout.redis_url) as client:
        for key in ("lb:eu:solo:s1", "odometer:autumn", "achievements:points:acme"):
            client.zadd(key, {"of an earlier run": 1})

    _, output = checkout.load(MODE="naive")

    assert "The compose stack's service was switched from partitioned to naive." in output
    assert f"The service is up at {checkout.service_url} (naive, compose stack)." in output
    assert "Not up: prometheus. This run is not seen there; `make up` starts them." in output
    audit = checkout.read("audit.json")
    assert [one["name"] for one in audit["not_comparable"]] == ["ledger = projection"]
    assert audit["invariants"]
    assert all(one["held"] for one in audit["invariants"]), audit
    run = checkout.read("run.json")
    assert run["stack"] == "compose"
    assert run["command"].endswith(" STACK=compose")
    with connect(checkout.redis_url) as client:
        assert client.keys("*") == ["lb:global:all:s1"]
    assert psutil.pid_exists(checkout.service_pid)
    assert checkout.service_pid != former


def test_run_in_the_mode_it_is_in_restarts_nothing(checkout: Checkout) -> None:
    """The service is loaded as `make up` left it."""
    former = checkout.service_pid

    _, output = checkout.load(MODE="partitioned", STACK="compose")

    assert "(partitioned, compose stack)." in output
    assert "switched" not in output
    assert "started again" not in output
    assert former == checkout.service_pid
    assert all(one["held"] for one in checkout.read("audit.json")["invariants"])


def test_run_that_names_no_ledger_keeps_that_of_the_stack(checkout: Checkout) -> None:
    """The service was brought up with none, and is loaded as it is."""
    former = checkout.service_pid

    _, output = checkout.load(MODE="partitioned", LEDGER="")

    assert "It runs with LEDGER=none" in output
    assert former == checkout.service_pid


def test_run_with_a_ledger_has_a_new_one(checkout: Checkout) -> None:
    """The service starts again on a ledger of the run, which is held to what clients were told."""
    former = checkout.service_pid
    gone = checkout.root.parent / "20260101T000000Z-peak-naive.db"
    gone.touch()

    _, output = checkout.load(MODE="partitioned", LEDGER="sqlite")

    assert "It runs with ledger sqlite, LEDGER_SYNC=full." in output
    assert "started again with the settings of this run" in output
    assert f"Removed from the volume of the ledgers, their runs are gone: {gone.name}.\n" in output
    assert not gone.exists()
    assert former != checkout.service_pid
    audit = checkout.read("audit.json")
    names = [one["name"] for one in audit["invariants"]]
    assert audit["not_comparable"] == []
    assert names[: len(LEDGER_INVARIANTS)] == LEDGER_INVARIANTS
    assert all(one["held"] for one in audit["invariants"]), audit
    assert audit["invariants"][names.index(LEDGER_INVARIANTS[-1])]["right"] > 0


def test_audit_that_fails_inside_is_made_without_the_ledger(checkout: Checkout) -> None:
    """Docker's words stand beside the ledger, the rest is compared; no former board is left."""
    checkout.docker.change(refuses=[["compose", "run"]])

    checkout.load(MODE="naive", LEDGER="sqlite")

    audit = checkout.read("audit.json")
    assert audit["not_comparable"] == [
        {
            "name": "ledger = projection",
            "reason": "the ledger in the volume of the containers could not be read: "
            "`docker compose run` failed: that went wrong",
            "expected": False,
        }
    ]
    assert audit["invariants"]
    assert all(one["held"] for one in audit["invariants"]), audit
    verdict = checkout.read("run.json")["verdict"]
    assert verdict["status"] == "invalid"
    assert any("could not compare ledger = projection: " in one for one in verdict["reasons"])
    with connect(checkout.redis_url) as client:
        boards = [key for key in client.keys("*") if not key.startswith("{")]
        assert boards == ["lb:global:all:s1"]


def test_container_that_dies_makes_the_run_invalid(checkout: Checkout) -> None:
    """The run ends at once, and its verdict names the container."""
    with checkout.start(MODE="partitioned", DURATION="60s") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "measured" in line:
                break
        os.kill(checkout.service_pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)

    verdict = checkout.read("run.json")["verdict"]
    assert process.returncode == 3
    assert verdict["status"] == "invalid"
    assert any("The container hotboard-target_service-1 ended" in one for one in verdict["reasons"])


def test_database_with_keys_of_others_is_refused(checkout: Checkout) -> None:
    """Nothing is unlinked, no run is left, and the sentence names the key and the way out."""
    with connect(checkout.redis_url) as client:
        client.set("somebody's", "1")
        client.zadd("lb:eu:solo:s1", {"a": 1})

        code, output = checkout.load(MODE="naive")

        assert code == 2
        assert output == (
            f"The compose stack's Redis at {checkout.redis_url} holds keys that are not ours "
            '("somebody\'s"): unlink them, or begin anew with `make down` and `make up`.\n'
        )
        assert client.dbsize() == 2
    assert not list((checkout.root / "reports" / "runs").iterdir())


def test_service_that_does_not_come_up_is_told_in_dockers_words(checkout: Checkout) -> None:
    """A switch that fails ends the run before it began."""
    checkout.docker.change(refuses=[["compose", "up"]])

    code, output = checkout.load(MODE="naive")

    assert (3, "`docker compose up` failed: that went wrong\n") == (code, output)


def test_run_beside_a_compose_stack_can_be_embedded(checkout: Checkout) -> None:
    """STACK=embedded leaves the compose stack as it is."""
    former = checkout.service_pid

    _, output = checkout.load(MODE="naive", STACK="embedded", SERVICE_PORT=str(free_port()))

    assert "(naive, embedded stack, pid " in output
    assert former == checkout.service_pid
    assert checkout.docker.calls == [["compose", "up"]]
