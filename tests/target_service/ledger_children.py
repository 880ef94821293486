"""Starting processes that write to a ledger."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("ledger_process.py")
PATIENCE_SECONDS = 120


class Child:
    """A process that has opened the ledger and waits to be let go."""

    def __init__(self, path: Path, what: str, **arguments: object) -> None:
        given = json.dumps({"path": str(path), "what": what, **arguments})
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self) -> None:
        """Read the line that says the ledger is open."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]

    def let_go(self) -> None:
        """Let it begin."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Wait for the next answer it got."""
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def answers(self) -> list[dict[str, Any]]:
        """Wait for its end and read what its answers; a line cut short is none."""
        out, error = self.process.communicate(timeout=PATIENCE_SECONDS)
        assert self.process.returncode in (0, -9), error
        return [json.loads(line) for line in out.splitlines(keepends=True) if line[-1] == "\n"]


@contextmanager
def children(*started: Child) -> Iterator[None]:
    """Let all begin at once, and leave none behind."""
    try:
        for child in started:
            child.wait_until_ready()
        for child in started:
            child.let_go()
        yield
    finally:
        for child in started:
            child.process.kill()
            child.process.communicate()
