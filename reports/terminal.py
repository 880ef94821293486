"""A run, and the list of runs, as text for a terminal."""

import csv
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reports.derived import Derived
from reports.errors import BrokenRun
from reports.numbers.event_figures import event_figures
from reports.numbers.rounding import Cell
from reports.numbers.write_parts import parts_sentence
from reports.rundir.facts import Facts
from reports.rundir.files import UnusableFile, read_inside
from reports.rundir.finding import run_directories
from reports.rundir.reading import read_facts
from reports.sentences import drill_sentences, edges_sentence, event_sentences, sweep_sentences
from reports.verdict.verdict import Status
from reports.wording import cut, no_key_words, percent, scale_words

_TERMINAL_HEADER = ("operation", "offered", "achieved/s", "ok", "failed", "dropped")
_TIMES = ("p50_ms", "p99_ms", "p999_ms", "max_ms", "service_p99_ms")
_NOT_MEASURED = "-"
# What a narrow terminal does without, least needed first: the files have it.
_TERMINAL_LEAST_NEEDED = ("ok", "p999", "service p99", "max", "dropped")
_LEAST_NEEDED_OF_KEYS = ("touched", "fair share")
_WIDEST = 100


def run_text(derived: Derived, columns: int | None = None) -> str:
    """The run in under a screenful; nothing is broken by a terminal of so many columns."""
    blocks = [
        wrapped(_title(derived.run.facts), columns),
        _operations(derived, columns),
        wrapped(parts_sentence(derived.write_parts) or "", columns),
        _keys(derived, columns),
        wrapped(_drill(derived), columns),
        wrapped(_event(derived), columns),
        wrapped(_sweep(derived), columns),
        wrapped(_verdict(derived), columns),
        f"files: {shortest(derived.run.path)}",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def wrapped(text: str, columns: int | None) -> str:
    """Lines broken between words where a terminal would break them anywhere."""
    if columns is None:
        return text
    return "\n".join(
        textwrap.fill(
            line,
            min(columns, _WIDEST),
            subsequent_indent="    " if line.startswith("  · ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    )


def _title(facts: Facts) -> str:
    parts = [
        facts.title,
        facts.scale_words,
        f"{facts.duration_seconds:g} s measured",
    ]
    if facts.seed is not None:
        parts.append(f"seed {facts.seed}")
    if words := facts.ledger_words:
        parts.append(words)
    where = f" on {facts.stack_words}" if facts.stack_words else ""
    return f"run {facts.run_id}{where}\n{' · '.join(parts)}"


def _operations(derived: Derived, columns: int | None) -> str:
    records = derived.tables["operations.csv"].records()
    if len(records) <= 1:
        return "no operation was measured"
    if records[-1]["offered"] is None:
        return "nothing was measured: the measured phase did not begin"
    header = [*_TERMINAL_HEADER, *(name.removesuffix("_ms").replace("_", " ") for name in _TIMES)]
    rows = [
        [
            str(record["operation"]),
            _count(record["offered"]),
            _decimals(record["achieved_per_second"], 1),
            _count(record["ok"]),
            _count(record["failed"]),
            _count(record["dropped"]),
            *(_decimals(record[name], 1) for name in _TIMES),
        ]
        for record in records
    ]
    text = fitted([header, *rows], columns, least_needed=_TERMINAL_LEAST_NEEDED)
    shown = text.split("\n", 1)[0]
    told = "times in ms from the intended start"
    if header[-1] in shown:
        told += "; service: from the send"
    missing = [name for name in _TERMINAL_LEAST_NEEDED if name not in shown]
    if missing:
        told += f"; in operations.csv: {', '.join(missing)}"
    lines = [text, wrapped(told, columns)]
    if edges := edges_sentence(derived):
        lines.append(wrapped(edges, columns or _WIDEST))
    return "\n".join(lines)


def _keys(derived: Derived, columns: int | None) -> str:
    if derived.skew is None:
        return wrapped(f"keys: not known, {derived.traffic.reason}", columns)
    if not any(derived.skew.values()):
        return f"keys: {no_key_words(none_needed=not derived.run.facts.model.needs_boards)}"
    header = ["keys", "hottest key", "share", "fair share", "effective keys", "touched"]
    rows = [
        [
            op,
            skew["hottest_key"],
            percent(skew["hottest_share"]),
            _NOT_MEASURED if skew["fair_share"] is None else percent(skew["fair_share"]),
            f"{skew['effective_keys']:.2f}",
            str(skew["keys_touched"]),
        ]
        for op, skew in derived.skew.items()
        if skew
    ]
    return fitted([header, *rows], columns, left=2, least_needed=_LEAST_NEEDED_OF_KEYS, name=1)


def _drill(derived: Derived) -> str:
    drill = derived.run.drill
    if drill is None:
        return ""
    return "\n".join([f"drill {drill.drill}: {drill.sentence}", *_indented(drill_sentences(drill))])


def _event(derived: Derived) -> str:
    figures = event_figures(derived.run.facts, derived.run.measurements)
    if figures is None:
        return ""
    return "\n".join(["community event", *_indented(event_sentences(figures))])


def _sweep(derived: Derived) -> str:
    figures = derived.sweep
    if figures is None:
        return ""
    trusted = derived.verdict.status is not Status.INVALID
    sentences = sweep_sentences(figures, trusted=trusted)
    return "\n".join(["sweep", *_indented(sentences)])


def _indented(sentences: Sequence[str]) -> Iterator[str]:
    return (f"  · {sentence}" for sentence in sentences)


def _verdict(derived: Derived) -> str:
    verdict = derived.verdict
    return "\n".join([f"verdict: {verdict.status.value}", *_indented(verdict.reasons)])


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Columns two spaces apart, the first `left` of them to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def fitted(
    rows: Sequence[Sequence[str]],
    columns: int | None,
    *,
    left: int = 1,
    least_needed: Sequence[str] = (),
    name: int = 0,
) -> str:
    """The table in so many columns: without what is least needed, then with shorter names."""
    for name_of in (None, *least_needed):
        if name_of is not None:
            at = rows[0].index(name_of)
            rows = [[*row[:at], *row[at + 1 :]] for row in rows]
        text = aligned(rows, left)
        over = max(map(len, text.split("\n"))) - (columns or 0)
        if columns is None or over <= 0:
            return text
    longest = max(len(row[name]) for row in rows)
    letters = max(longest - over, len(rows[0][name]))
    return aligned([[*row[:name], cut(row[name], letters), *row[name + 1 :]] for row in rows], left)


def _count(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else _NOT_MEASURED


def _decimals(cell: Cell, places: int) -> str:
    return f"{cell:,.{places}f}" if isinstance(cell, int | float) else _NOT_MEASURED


def shortest(path: Path) -> Path:
    """The path from here when it lies below, else in full."""
    full = path.resolve()
    here = Path.cwd()
    return full.relative_to(here) if full.is_relative_to(here) else full


_LISTING_HEADER = ("run", "verdict", "stack", "LEDGER", "scale", "measured", "hottest", "p99 ms")
# What a narrow terminal does without: it is in every run's own report.
_LISTING_LEAST_NEEDED = ("measured", "scale")
_UNKNOWN = "-"


def runs_text(runs_dir: Path, columns: int | None = None) -> str:
    """A line for each run, newest first, within some columns where they are given."""
    directories = run_directories(runs_dir)
    if not directories:
        return f"There is no run in {runs_dir} yet: `make load-naive` makes one.\n"
    rows: list[tuple[str, ...]] = [_LISTING_HEADER]
    broken = []
    for path in directories:
        try:
            rows.append(_row(path, *read_facts(path)))
        except BrokenRun as error:
            rows.append((path.name, "broken", *[_UNKNOWN] * (len(_LISTING_HEADER) - 2)))
            broken.append(str(error))
    told = "hottest: the busiest key's share of the writes; p99: of all operations together"
    text = fitted(rows, columns, left=2, least_needed=_LISTING_LEAST_NEEDED)
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
