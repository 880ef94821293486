"""A checkout of its own for the tests that run the user's commands."""

import os
import shutil
from pathlib import Path

import pytest
from free_ports import free_port
from make_command import Checkout

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("workload", "target_service", "locustfiles", "lab", "reports")
FILES = ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A copy of the code for one test."""
    return _copied_to(tmp_path)


@pytest.fixture(scope="module")
def new_checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy of the code for the tests of a file."""
    return _copied_to(tmp_path_factory.mktemp("checkout"))


def _copied_to(folder: Path) -> Checkout:
    """A copy of the code with the installed .venv, so that no run of the developer is met."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package,
            folder / package,
            ignore=shutil.ignore_patterns("runs", "comparisons"),
        )
    for name in FILES:
        shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    for name in ("SERVICE_PORT", "LOCUST_PORT", "LOADGEN_PORT"):
        environment[name] = str(free_port())
    return Checkout(folder, environment)
