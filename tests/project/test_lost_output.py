"""Commands whose output goes nowhere say so in one sentence, and do not pass."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")
COMMANDS = {"lab": ["lab", "capacity"], "reports": ["reports", "runs"]}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_full_disk_under_the_output(command: list[str]) -> None:
    """Standard output may be a file on a full disk."""
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert 2 == done.returncode
    assert b"The output cannot be written: No space left on device.\n" == done.stderr


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_pipe_that_nobody_reads(command: list[str]) -> None:
    """`make runs | head` may end before all is written."""
    with subprocess.Popen(
        [sys.executable, "-m", *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        told = running.stderr.read()

    assert 2 == running.returncode
    assert b"The output cannot be written: Broken pipe.\n" == told
