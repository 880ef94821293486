"""The tables of a run that still goes on, made by `reports` from a copy of its files so far."""

import logging
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, Protocol

from gevent.lock import RLock

from locustfiles.recording.host_facts import CHECKOUT

TABLES: Final = ("operations", "keys", "timeline", "failures")
_SECONDS: Final = 60.0
# It shares the machine with the load, which goes first.
_POLITELY: Final = ("nice", "-n", "10")


class Results(Protocol):
    """What is known of a run that goes on."""

    @property
    def has_begun(self) -> bool:
        """Whether the load has been started."""

    @property
    def run_id(self) -> str:
        """The name of its directory."""

    def write_so_far(self, directory: Path) -> None:
        """Write the files of a run into a directory."""


class NoTables(RuntimeError):
    """The tables cannot be made; the message is for the user of the page."""


class TablesSoFar:
    """Makes a table on request, one at a time."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._one_at_a_time = RLock()

    def make(self, table: str) -> str:
        """The text of a table, up to now.

        Raises:
            NoTables: the run has not begun, or `reports` did not do it.
        """
        if not self._results.has_begun:
            raise NoTables("The run has not begun, so there is nothing to download yet.")
        with (
            self._one_at_a_time,
            tempfile.TemporaryDirectory(prefix="hotboard-so-far-") as folder,
        ):
            directory = Path(folder) / self._results.run_id
            self._results.write_so_far(directory)
            made = directory / f"{table}.csv"
            words = [*_POLITELY, sys.executable, "-m", "reports", "tables", str(directory)]
            errors = _run_command(words)
            if not made.is_file():
                logging.getLogger(__name__).warning("No tables so far: %s", errors)
                raise NoTables("The tables cannot be made now; the log says why.")
            return made.read_text(encoding="utf-8")


def _run_command(words: list[str]) -> str:
    """Run a program of ours; returns its error output, or that it took too long."""
    try:
        done = subprocess.run(  # noqa: S603  our own interpreter and package
            words, cwd=CHECKOUT, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"they took more than {_SECONDS:g} s, the machine is too busy; try again later."
    return done.stderr.strip()
