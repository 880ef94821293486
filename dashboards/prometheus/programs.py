"""Where prometheus, promtool and the Redis exporter are: PROMETHEUS_BIN, PATH, or unpacked here."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[2]
UNPACKED: Final = CHECKOUT / ".hotboard" / "tools" / "usr" / "bin"
FETCH: Final = "sh dashboards/prometheus/fetch.sh"


class ProgramMissing(RuntimeError):
    """A program is not on this machine; the message says how to get it."""


def program(name: str, environment: Mapping[str, str], unpacked: Path = UNPACKED) -> Path:
    """Find a program: beside PROMETHEUS_BIN, else on PATH, else where fetch.sh put it."""
    chosen = environment.get("PROMETHEUS_BIN", "")
    if chosen and not (os.access(chosen, os.F_OK) and Path(chosen).is_file()):
        raise ProgramMissing(f"PROMETHEUS_BIN names {chosen}, which is no file.")
    if chosen and not os.access(chosen, os.X_OK):
        raise ProgramMissing(f"PROMETHEUS_BIN names {chosen}, which is no program that can be run.")
    folders = [str(Path(chosen).parent)] if chosen else []
    folders += [environment.get("PATH", ""), str(unpacked)]
    if chosen and name == "prometheus":
        return Path(chosen)
    for folder in folders:
        found = shutil.which(name, path=folder) if folder else None
        if found:
            return Path(found)
    raise ProgramMissing(
        f"{name} was not found. On Debian and Ubuntu run `{FETCH}` (it starts nothing), "
        "on macOS `brew install prometheus`, or set PROMETHEUS_BIN to the prometheus program."
    )
