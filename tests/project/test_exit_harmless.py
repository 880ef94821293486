"""A command that ends takes no process of another command along."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mirakuru.base import ENV_UUID

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("module", ["lab.stack.process", "dashboards.program_run"])
def test_a_mark_with_the_same_digits_is_no_reason(module: str) -> None:
    """What runs processes leaves those of others alone, however they are marked."""
    ending = [sys.executable, "-c", f"import {module}; input()"]
    staying = [sys.executable, "-c", "input()"]
    with subprocess.Popen(ending, cwd=ROOT, stdin=subprocess.PIPE) as command:
        marked = os.environ | {ENV_UUID: f"1:{command.pid}"}
        with subprocess.Popen(staying, env=marked, stdin=subprocess.PIPE) as other:
            command.communicate(b"\n")
            other.communicate(b"\n")

    assert (0, 0) == (command.returncode, other.returncode)
