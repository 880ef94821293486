"""Marks a run in Grafana: its start, its measured phase, its end and verdict.

Marks are left from a thread and waited for only a little, so that a Grafana that is slow, wrong
or gone costs a warning and nothing else. One that refused is left alone for the rest of the run.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from lab.grafana import Grafana, GrafanaRefused, Mark, NoGrafana
from lab.writing import write_json

# The dashboards show the annotations under this tag.
_TAG: Final = "hotboard"
_PATIENCE_SECONDS: Final = 3.0


class RunMarks:
    """Leaves the marks of one run, and remembers the warnings that this led to."""

    def __init__(self, grafana: Grafana, mode: str, run_id: str) -> None:
        self._grafana = grafana
        self._tags = (_TAG, mode, run_id)
        self._leaving: threading.Thread | None = None
        self._is_given_up = False
        self._warnings: list[str] = []

    def start(self) -> None:
        """Mark the start, and go on at once."""
        self._leave([Mark("start", time.time())])

    def fault(self, what: str, from_seconds: float, to_seconds: float) -> None:
        """Mark a fault of a drill, and go on at once."""
        self._leave([Mark(what, from_seconds, to_seconds)])

    def finish(self, folder: Path) -> None:
        """Mark what the run directory tells, with a few seconds of patience at most."""
        self._await()
        self._leave(list(_marks(folder)))
        self._await()

    def take_warnings(self) -> list[str]:
        """The warnings that nobody has taken yet."""
        taken, self._warnings = self._warnings, []
        return taken

    def _leave(self, marks: Sequence[Mark]) -> None:
        if marks and not self._is_given_up:
            self._leaving = threading.Thread(target=self._try, args=(marks,), daemon=True)
            self._leaving.start()

    def _await(self) -> None:
        if self._leaving is not None:
            self._leaving.join(_PATIENCE_SECONDS)
            if self._leaving.is_alive():
                self._give_up(f"it did not answer within {_PATIENCE_SECONDS:g} s")

    def _try(self, marks: Sequence[Mark]) -> None:
        try:
            self._grafana.annotate(marks, self._tags)
        except NoGrafana as error:
            # most runs have none, which is no news unless somebody named it
            self._give_up(str(error) if self._grafana.is_named else None)
        except GrafanaRefused as error:
            self._give_up(str(error))

    def _give_up(self, reason: str | None) -> None:
        if reason is not None and not self._is_given_up:
            sentence = f"This run is not marked in Grafana at {self._grafana.url}: {reason}."
            self._warnings.append(sentence)
            print(sentence, file=sys.stderr, flush=True)
        self._is_given_up = True


def warn_in_record(folder: Path, warnings: Sequence[str]) -> None:
    """Add warnings to run.json, which is there once a run has begun."""
    path = folder / "run.json"
    if warnings and path.is_file():
        facts = json.loads(path.read_text(encoding="utf-8"))
        facts["warnings"] = [*facts.get("warnings", []), *warnings]
        write_json(path, facts)


def _marks(folder: Path) -> Iterator[Mark]:
    """The marks that follow from run.json as the verdict left it."""
    try:
        facts: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    ended = _seconds(facts.get("ended_at")) or time.time()
    begun, planned = _seconds(facts.get("measured_from")), _seconds(facts.get("measured_to"))
    if begun is not None and planned is not None and begun < ended:
        yield Mark("measured phase", begun, min(planned, ended))
    verdict = facts.get("verdict") or {"status": "none"}
    yield Mark("; ".join([f"end, verdict: {verdict['status']}", *_why(verdict)]), ended)


def _why(verdict: dict[str, Any]) -> list[str]:
    """The reasons of a verdict that is no pass, which has one for everything that held."""
    return [] if verdict["status"] == "pass" else list(verdict.get("reasons", []))


def _seconds(stamp: str | None) -> float | None:
    return None if stamp is None else datetime.fromisoformat(stamp).timestamp()
