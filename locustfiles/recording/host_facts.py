"""Facts about this machine, this checkout and this process, as they really are."""

import os
import platform
import subprocess
import sys
import time
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psutil

CHECKOUT: Final = Path(__file__).resolve().parents[2]
_GIT_SECONDS: Final = 5.0


def host_facts() -> dict[str, Any]:
    """The machine that the load came from."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "os": platform.platform(),
    }


def version_facts(redis: dict[str, Any] | None) -> dict[str, Any]:
    """The versions in use; the Redis server and its client are those that the service named."""
    redis = redis or {}
    server = " ".join(str(redis[name]) for name in ("server", "version") if name in redis)
    return {
        "python": sys.version.split()[0],
        "locust": version("locust"),
        "gevent": version("gevent"),
        "redis_server": server or None,
        "redis_py": redis.get("redis_py"),
        "hotboard": _hotboard_version(),
    }


def git_facts() -> dict[str, Any]:
    """The revision of this checkout; unknown where it is none, or git is missing."""
    revision = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain") if revision else None
    return {
        "git_revision": revision or None,
        "git_dirty": None if changes is None else bool(changes),
    }


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603  a fixed program and fixed words
            ["git", "-C", str(CHECKOUT), *words],  # noqa: S607  wherever git is
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _cpu_name() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)


def _hotboard_version() -> str | None:
    try:
        project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
        return str(project["project"]["version"])
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        return None


class CpuShare:
    """The CPU use of this process over the measured phase, which begins at second 0."""

    def __init__(self, duration_seconds: int) -> None:
        self._duration_seconds = duration_seconds
        self._begun: tuple[float, float] | None = None
        self._is_over = False
        self.ratio: float | None = None

    def update(self, now_seconds: float) -> None:
        """Read the CPU time; call it once a second with the time of the schedule's clock."""
        if now_seconds < 0 or self._is_over:
            return
        now, used = time.perf_counter(), time.process_time()
        if self._begun is None:
            self._begun = (now, used)
            return
        begun, used_before = self._begun
        self.ratio = (used - used_before) / (now - begun)
        self._is_over = now_seconds >= self._duration_seconds


class CpuMeter:
    """The CPU use of this process since the last reading."""

    def __init__(self) -> None:
        self._last = (time.perf_counter(), time.process_time())

    def read_ratio(self) -> float:
        """The part of a core that was used since the last call."""
        (before, used_before), self._last = self._last, (time.perf_counter(), time.process_time())
        now, used = self._last
        return (used - used_before) / max(now - before, 1e-6)
