"""Connections beyond what a process may have open are refused before anything is loaded."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from load_plans import PLAN

from locustfiles.run.inputs import too_many_connections
from workload.load import LoadSettings

ROOT = Path(__file__).resolve().parents[3]
FIVE = dict.fromkeys(("submit", "top", "around", "rank_exact", "rank_bounded"), "1")
MANY = replace(PLAN, rates=FIVE, load=LoadSettings(connections=400))


def _limits_after(call: str, module: str, soft: int, hard: int) -> str:
    """The limits of a process that begins with these, after it has called a module of ours."""
    program = (
        f"import resource as r; r.setrlimit(r.RLIMIT_NOFILE, ({soft}, {hard})); "
        f"from {module} import {call}; {call}(); "
        "print(*r.getrlimit(r.RLIMIT_NOFILE))"
    )
    words = [sys.executable, "-c", program]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("module", ["locustfiles.run.inputs", "target_service.open_files"])
def test_the_soft_limit_is_raised_to_the_hard_one(module: str) -> None:
    """Most systems begin with 1,024 or 256, and allow far more."""
    assert _limits_after("raise_limit", module, 256, 2_000) == "2000 2000\n"
    assert _limits_after("raise_limit", module, 900, 900) == "900 900\n"


def test_what_does_not_fit_is_said_of_the_worker_and_of_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both hold each connection; the sentence says how many, and what changes it."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (1_024, 1_024))

    assert too_many_connections(MANY, {"open_files": 2_000}) == [
        (
            "5 operations with 400 connections each are 2,000 in a load worker, which may have "
            "1,024 files open, some 64 of them its own: lower --set connections=..., raise the "
            "limit where it is started (ulimit -n), or take more workers."
        ),
        (
            "5 operations with 400 connections each are 2,000 in the service, which may have "
            "2,000 files open, some 64 of them its own: lower --set connections=..., raise the "
            "limit where it is started (ulimit -n)."
        ),
    ]
    assert too_many_connections(replace(MANY, slices=4), {"open_files": None}) == []
    assert too_many_connections(replace(MANY, slices=4), None) == []
    assert too_many_connections(PLAN, {"open_files": "many"}) == []
