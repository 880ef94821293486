"""A checkout of its own for the tests that run the user's commands."""

import os
import shutil
import socket
from pathlib import Path

import pytest
from make_command import Checkout

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("workload", "target_service", "locustfiles", "lab", "reports")
FILES = ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of the code with the installed .venv, so that no run of the developer is met."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package,
            tmp_path / package,
            ignore=shutil.ignore_patterns("__pycache__", "runs", "comparisons"),
        )
    for name in FILES:
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    for name in ("SERVICE_PORT", "LOCUST_PORT", "LOADGEN_PORT"):
        environment[name] = str(_free_port())
    return Checkout(tmp_path, environment)
