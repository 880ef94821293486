"""A run as text for a terminal: what it was, its table, its keys, its verdict."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from reports.derived import Derived
from reports.drill_words import drill_sentences
from reports.edge_words import edges_sentence
from reports.event_words import event_sentences
from reports.numbers.event_figures import event_figures
from reports.numbers.rounding import Cell
from reports.numbers.write_parts import parts_sentence
from reports.rundir.facts import Facts
from reports.sweep_words import sweep_sentences
from reports.verdict.verdict import Status
from reports.wording import no_key_words, percent

_HEADER = ("operation", "offered", "achieved/s", "ok", "failed", "dropped")
_TIMES = ("p50_ms", "p99_ms", "p999_ms", "max_ms", "service_p99_ms")
_NOT_MEASURED = "-"
_WIDTH = 100


def run_text(derived: Derived) -> str:
    """The run in under a screenful."""
    blocks = [
        _title(derived.run.facts),
        _operations(derived),
        parts_sentence(derived.write_parts) or "",
        _keys(derived),
        _drill(derived),
        _event(derived),
        _sweep(derived),
        _verdict(derived),
        f"files: {shortest(derived.run.path)}",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


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


def _operations(derived: Derived) -> str:
    records = derived.tables["operations.csv"].records()
    if len(records) <= 1:
        return "no operation was measured"
    if records[-1]["offered"] is None:
        return "nothing was measured: the measured phase did not begin"
    header = [*_HEADER, *(name.removesuffix("_ms").replace("_", " ") for name in _TIMES)]
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
    lines = [
        aligned([header, *rows]),
        "times in ms from the intended start; service: from the send",
    ]
    if edges := edges_sentence(derived):
        lines.append(textwrap.fill(edges, _WIDTH))
    return "\n".join(lines)


def _keys(derived: Derived) -> str:
    if derived.skew is None:
        return f"keys: not known, {derived.traffic.reason}"
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
    return aligned([header, *rows], left=2)


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


def _count(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else _NOT_MEASURED


def _decimals(cell: Cell, places: int) -> str:
    return f"{cell:,.{places}f}" if isinstance(cell, int | float) else _NOT_MEASURED


def shortest(path: Path) -> Path:
    """The path from here when it lies below, else in full."""
    full = path.resolve()
    here = Path.cwd()
    return full.relative_to(here) if full.is_relative_to(here) else full
