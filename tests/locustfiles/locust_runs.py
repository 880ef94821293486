"""Starts Locust against a stub service, and reads what a run left."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from free_ports import free_port

ROOT = Path(__file__).resolve().parents[2]
LOCUST = (sys.executable, "-m", "locust", "-f", "locustfiles/locustfile.py")
# However slow the machine: reached only where something hangs.
PATIENCE_SECONDS = 240.0
# Locust gives up workers that are silent for some seconds, as starved ones are.
_SCENES_AT_ONCE = 3
OPERATIONS = ("submit", "top", "around")
T = TypeVar("T")


def until(is_so: Callable[[], object], what: str) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain until {what}")
        time.sleep(0.02)


@dataclass
class Stub:
    """A stub service in a process of its own."""

    process: subprocess.Popen[str]
    url: str

    def behave(self, how: str) -> None:
        """Change what the measured routes do."""
        self._ask(f"/behave/{how}", method="POST")

    def hits(self) -> int:
        """How many requests of the measured routes were answered well."""
        lines = self._ask("/metrics").splitlines()
        return sum(int(line.split()[-1]) for line in lines if "ops_total" in line)

    def seen(self) -> dict[str, Any]:
        """The ids of all accepted events, and each player's sequences in order of arrival."""
        seen: dict[str, Any] = json.loads(self._ask("/seen"))
        return seen

    def end(self) -> None:
        """End the service."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _ask(self, path: str, method: str = "GET") -> str:
        request = urllib.request.Request(self.url + path, method=method)  # noqa: S310  our stub
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
            text: str = answer.read().decode()
            return text


def start_stub() -> Stub:
    """Start a stub service that behaves well."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "locustfiles" / "stub_service.py")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return Stub(process, f"http://127.0.0.1:{process.stdout.readline().strip()}")


@dataclass
class LocustRun:
    """A run in progress, or what it left."""

    directory: Path
    main: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    port: int | None = None

    def wait(self) -> int:
        """Wait for all processes; the exit code of the master, or of the only one."""
        end = time.monotonic() + PATIENCE_SECONDS
        try:
            for process in (self.main, *self.workers):
                process.wait(timeout=max(end - time.monotonic(), 1))
        finally:
            for process in (self.main, *self.workers):
                process.kill()
                process.wait()
        return self.main.returncode

    def interrupt(self, number: signal.Signals) -> None:
        """Send a signal to the master, or to the only process."""
        self.main.send_signal(number)

    @property
    def output(self) -> str:
        """What the master, or the only process, printed."""
        return _log(self.directory).read_text(encoding="utf-8")

    @property
    def measurements(self) -> dict[str, Any]:
        """The content of measurements.json."""
        return self._json("measurements.json")

    @property
    def facts(self) -> dict[str, Any]:
        """The content of run.json."""
        return self._json("run.json")

    def rows(self, name: str) -> list[dict[str, str]]:
        """The rows of a CSV file."""
        with (self.directory / name).open(newline="") as lines:
            return list(csv.DictReader(lines))

    def _json(self, name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.directory / name).read_text(encoding="utf-8"))
        return content


def start_locust(
    url: str,
    directory: Path,
    *options: str,
    workers: int = 0,
    missing: int = 0,
    page: tuple[str, ...] = ("--headless",),
) -> LocustRun:
    """Start a run by hand, in one process or as a master with workers, of which some may miss."""
    common = ("--loglevel", "WARNING", *page, "--host", url, "--run-dir", str(directory))
    if not workers:
        return LocustRun(directory, _start((*LOCUST, *common, *options), directory))
    port = free_port()
    place = ("--master-bind-host", "127.0.0.1", "--master-bind-port", str(port))
    lead = ("--master", *place, "--expect-workers", str(workers))
    followers = [start_worker(port, f"{directory}-worker-{i}") for i in range(workers - missing)]
    main = _start((*LOCUST, *common, *options, *lead), directory)
    return LocustRun(directory, main, followers, port)


def with_page(port: int, *, starts_by_itself: bool = True) -> tuple[str, ...]:
    """The options that have Locust's page beside a run."""
    begin = ("--autostart",) if starts_by_itself else ()
    return (*begin, "--web-host", "127.0.0.1", "--web-port", str(port))


def start_worker(port: int, log: str) -> subprocess.Popen[bytes]:
    """Start one worker of the master at that port."""
    follow = ("--worker", "--master-host", "127.0.0.1", "--master-port", str(port))
    return _start((*LOCUST, "--loglevel", "WARNING", *follow), Path(log))


def side_by_side(scenes: Mapping[str, Callable[[], T]]) -> dict[str, T]:
    """Play several scenes at once, because most of a run is waiting."""
    with ThreadPoolExecutor(max_workers=_SCENES_AT_ONCE) as stage:
        playing = {name: stage.submit(scene) for name, scene in scenes.items()}
        return {name: scene.result() for name, scene in playing.items()}


def _start(command: tuple[str, ...], directory: Path) -> subprocess.Popen[bytes]:
    log = _log(directory)
    log.parent.mkdir(parents=True, exist_ok=True)
    # Coverage and the like must not follow into processes that are killed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # runs side by side would fight for the port; who asks for metrics names one
    environment["LOADGEN_PORT"] = "0"
    with log.open("wb") as output:
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )


def _log(directory: Path) -> Path:
    return directory.parent / "logs" / f"{directory.name}.log"


def unequal(measurements: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    """The operations whose requests do not add up: offered = sent + dropped, sent = ok + failed."""
    populations = [
        (name, population)
        for name, one in measurements["operations"].items()
        for population in (one, one["all"], *one["seconds"])
    ]
    return [
        (name, one)
        for name, one in populations
        if one["offered"] != one["sent"] + one["dropped"]
        or one["sent"] != one["ok"] + one["failed"]
    ]
