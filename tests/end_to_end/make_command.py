"""Runs make in a checkout and watches what it says."""

import csv
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from free_ports import free_port

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("workload", "target_service", "locustfiles", "lab", "reports")
_FILES = ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock")
SECONDS = 300.0

LONG_RUN = ("load-naive", "SCALE=0.0002", "DURATION=30s", "WARMUP=2s")
# What a run says when it enters a phase.
PHASES = {
    "start": "",  # it prints nothing yet, but holds the checkout
    "loading": "The service is up",
    "warm-up": "warm-up",
    "measured": "2 of 2 s",
}


class Command:
    """A running make; its output is collected line by line."""

    def __init__(self, root: Path, environment: dict[str, str], words: list[str]) -> None:
        self.process = subprocess.Popen(
            ["make", *words],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self.lines.append(line.rstrip("\n"))

    @property
    def output(self) -> str:
        """All that was printed so far."""
        return "\n".join(self.lines)

    def wait_for(self, text: str) -> None:
        """Wait until a line holds the text."""
        self.wait_until(lambda: any(text in line for line in self.lines), repr(text))

    def wait_until(self, is_there: Callable[[], object], what: str) -> None:
        """Wait until something is there."""
        end = time.monotonic() + SECONDS
        while not is_there():
            assert time.monotonic() < end, f"{what} never came:\n{self.output}"
            assert self.process.poll() is None, f"ended before {what}:\n{self.output}"
            time.sleep(0.02)

    def wait(self) -> int:
        """Wait for the end; the exit code of make."""
        code = self.process.wait(SECONDS)
        self._reader.join(SECONDS)
        return code

    def interrupt(self) -> None:
        """Ctrl-C: the whole foreground group gets SIGINT."""
        os.killpg(self.process.pid, signal.SIGINT)


@dataclass(frozen=True)
class Checkout:
    """A checkout of its own."""

    root: Path
    environment: dict[str, str]

    def start(self, *words: str) -> Command:
        """Start `make` with the words."""
        return Command(self.root, self.environment, list(words))

    def start_until(self, phase: str, *words: str) -> Command:
        """Start a run of half a minute and return when it is in the phase."""
        command = self.start(*LONG_RUN, *words)
        if PHASES[phase]:
            command.wait_for(PHASES[phase])
        else:
            command.wait_until((self.root / ".hotboard" / "claim.json").exists, "the claim")
        return command

    def make(self, *words: str) -> tuple[int, str]:
        """Run `make` to its end: exit code and output."""
        command = self.start(*words)
        return command.wait(), command.output

    @property
    def token(self) -> str:
        """The token that every process of the present run carries."""
        return str(json.loads((self.root / ".hotboard" / "claim.json").read_text())["token"])

    def run_directory(self) -> Path:
        """The only run directory."""
        (found,) = (self.root / "reports" / "runs").iterdir()
        return found

    def read_json(self, name: str) -> dict[str, Any]:
        """One document of the only run."""
        document: dict[str, Any] = json.loads((self.run_directory() / name).read_text())
        return document

    def run_json(self) -> dict[str, Any]:
        """The facts of the only run."""
        return self.read_json("run.json")

    def table(self, name: str) -> list[dict[str, str]]:
        """The rows of one CSV file of the only run."""
        with (self.run_directory() / name).open(newline="") as lines:
            return list(csv.DictReader(lines))

    def processes(self) -> list[psutil.Process]:
        """Every live process that works in this checkout."""
        found = []
        for process in psutil.process_iter(["cwd", "status", "cmdline"]):
            if process.info["status"] == psutil.STATUS_ZOMBIE or not process.info["cwd"]:
                continue
            if Path(process.info["cwd"]).is_relative_to(self.root):
                found.append(process)
        return found

    def processes_with(self, word: str) -> list[psutil.Process]:
        """Those of them whose command line holds the word."""
        return [one for one in self.processes() if word in _command_line(one)]

    def left_after(self, seconds: float = 60.0) -> list[str]:
        """What still runs after some seconds of grace, as command lines."""
        end = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.1)
        return [_command_line(one) for one in left]


def copied_to(folder: Path) -> Checkout:
    """A copy of the code with the installed .venv, so that no run of the developer is met."""
    for package in _PACKAGES:
        shutil.copytree(
            _ROOT / package,
            folder / package,
            ignore=shutil.ignore_patterns("runs", "comparisons"),
        )
    for name in _FILES:
        shutil.copy2(_ROOT / name, folder / name)
    (folder / ".venv").symlink_to(_ROOT / ".venv")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    for name in ("SERVICE_PORT", "LOCUST_PORT", "LOADGEN_PORT"):
        environment[name] = str(free_port())
    return Checkout(folder, environment)


def _command_line(process: psutil.Process) -> str:
    """What it was when it was found: it may be gone by now."""
    return " ".join(process.info["cmdline"] or ())
