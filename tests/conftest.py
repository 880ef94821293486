"""What holds for every test."""

import gc
import os
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from lab.cli.variables import Variables

# On a busy machine one example may take any time, and so may making it up; no test here is about
# its own speed. The same code is given the same examples, so that red means a change; others are
# tried with `pytest --hypothesis-profile=exploring`.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exploring", unhurried)
settings.register_profile("repeatable", unhurried, derandomize=True, database=None)
settings.load_profile("repeatable")

# Hundreds of processes are started here; with this set each would compile all our code again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# `make test SERVICE_PORT=...` is no wish of the tests, which choose for themselves.
for name in (
    "MAKEFLAGS",
    "MAKELEVEL",
    "MFLAGS",
    "HOTBOARD_MAKE_PID",
    *map(str.upper, Variables.model_fields),
):
    os.environ.pop(name, None)

# Under nohup or in the background these come in ignored, and every process of a test would
# inherit that; the tests are about how such signals are heard.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put failures in words without a garbage collection in between.

    For that, source is parsed, and CPython before 3.11.9 and 3.12.3 cannot parse while it parses:
    not in a finalizer that fails, nor in another thread that a callback of the collection lets
    run. It would raise a SystemError here, which ends the worker instead of the test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
