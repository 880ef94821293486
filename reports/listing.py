"""The runs at hand, a line each; what is broken is named and stops nothing."""

import csv
from pathlib import Path
from typing import Any

from reports.errors import BrokenRun
from reports.rundir.facts import Facts
from reports.rundir.files import UnusableFile, read_inside
from reports.rundir.finding import run_directories
from reports.rundir.reading import read_facts
from reports.terminal import fitted
from reports.wording import percent, scale_words

_HEADER = ("run", "verdict", "stack", "LEDGER", "scale", "measured", "hottest", "p99 ms")
# What a narrow terminal does without: it is in every run's own report.
_LEAST_NEEDED = ("measured", "scale")
_UNKNOWN = "-"


def runs_text(runs_dir: Path, columns: int | None = None) -> str:
    """A line for each run, newest first, within some columns where they are given."""
    directories = run_directories(runs_dir)
    if not directories:
        return f"There is no run in {runs_dir} yet: `make load-naive` makes one.\n"
    rows: list[tuple[str, ...]] = [_HEADER]
    broken = []
    for path in directories:
        try:
            rows.append(_row(path, *read_facts(path)))
        except BrokenRun as error:
            rows.append((path.name, "broken", *[_UNKNOWN] * (len(_HEADER) - 2)))
            broken.append(str(error))
    told = "hottest: the busiest key's share of the writes; p99: of all operations together"
    text = fitted(rows, columns, left=2, least_needed=_LEAST_NEEDED)
    return "\n".join([text, told, *_named(broken)]) + "\n"


def _named(broken: list[str]) -> list[str]:
    return ["", "broken:", *(f"  · {sentence}" for sentence in broken)] if broken else []


def _row(path: Path, facts: Facts, raw: dict[str, Any]) -> tuple[str, ...]:
    hottest = _field(raw, "skew", "write", "hottest_share")
    return (
        path.name,
        str(_field(raw, "verdict", "status") or "not judged"),
        _stack(facts),
        _ledger(facts),
        scale_words(facts.scale),
        f"{facts.duration_seconds:g} s",
        percent(hottest) if isinstance(hottest, int | float) else _UNKNOWN,
        _p99(path),
    )


def _stack(facts: Facts) -> str:
    return "foreign" if facts.foreign else facts.stack or _UNKNOWN


def _ledger(facts: Facts) -> str:
    service = facts.service
    if service is None or service.ledger is None:
        return _UNKNOWN
    return f"{service.ledger} normal" if service.ledger_sync == "normal" else service.ledger


def _field(content: object, *names: str) -> object:
    for name in names:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _p99(path: Path) -> str:
    try:
        lines = read_inside(path, "operations.csv").decode().splitlines()
        last = [row.get("p99_ms") for row in csv.DictReader(lines)][-1]
        return f"{float(last or ''):,.1f}"
    except (OSError, UnusableFile, ValueError, IndexError, csv.Error):
        return _UNKNOWN
