"""Starting, pausing and killing sweeps in processes of their own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

_PROGRAM = Path(__file__).with_name("sweep_process.py")


class SweepProcess:
    """One sweep in a process of its own."""

    def __init__(self, path: Path, **arguments: int) -> None:
        given = json.dumps({"path": str(path), **arguments})
        self._process = subprocess.Popen(
            [sys.executable, str(_PROGRAM), given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def said(self) -> dict[str, Any]:
        """The next thing it says; waits for it."""
        assert self._process.stdout is not None
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told

    def go_on(self) -> None:
        """End its pause."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
