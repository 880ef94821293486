"""A comparison as a Markdown table for a README, made from its own files."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from reports.comparison.measures import COMPARISON_CSV
from reports.comparison.record import RECORD_JSON
from reports.errors import UsageError
from reports.page.formats import milliseconds
from reports.rundir.files import UnusableFile, read_inside, sane_json
from reports.tables.operations import ALL
from reports.wording import percent, scale_of

_REVISION = 12
_HEADER = (
    "| mode | operation | p50 ms | p99 ms | achieved of offered | failed | hottest key's share |\n"
    "|---|---|---:|---:|---:|---:|---:|"
)

_UNREADABLE = (
    *(csv.Error, msgspec.MsgspecError, RecursionError),
    *(ValueError, LookupError, TypeError, AttributeError),
)

Rows = dict[tuple[str, str], dict[str, str]]


def comparison_markdown(folder: Path) -> str:
    """The medians of both sides, operation by operation, and what they are of.

    Raises:
        UsageError: the folder holds no comparison.
    """
    try:
        lines = read_inside(folder, COMPARISON_CSV).decode().splitlines()
        made = sane_json(read_inside(folder, RECORD_JSON))
        return _markdown(csv.DictReader(lines), made)
    except FileNotFoundError as error:
        trouble = f"{error} is missing"
    except UnusableFile as error:
        trouble = str(error)
    except _UNREADABLE as error:
        trouble = f"its files do not tell what a comparison does ({error!r:.200})"
    raise UsageError(f"{folder} holds no comparison that can be read: {trouble}.")


def _markdown(table: Iterable[dict[str, str]], made: dict[str, Any]) -> str:
    rows = {(row["operation"], row["measure"]): row for row in table}
    operations = dict.fromkeys(name for name, measure in rows if measure == "p99_ms")
    if not operations:
        raise ValueError("the table has no times")
    lines = [_HEADER]
    for letter, side in zip("ab", made["sides"], strict=True):
        lines += [_line(rows, letter, side["label"], name) for name in operations if name != ALL]
    return "\n".join([*lines, "", _caption(made)]) + "\n"


def _line(rows: Rows, letter: str, label: str, operation: str) -> str:
    def median(measure: str, of: str = operation) -> float | None:
        text = rows[of, measure][f"{letter}_median"]
        return float(text) if text else None

    offered, achieved = median("offered_per_second"), median("achieved_per_second")
    met = percent(achieved / offered) if offered and achieved is not None else ""
    hottest = median("hottest_share", "write") if operation == "submit" else None
    cells = (
        label,
        f"`{operation}`",
        milliseconds(median("p50_ms")),
        milliseconds(median("p99_ms")),
        met,
        f"{median('failed') or 0:g}",
        percent(hottest) if hottest is not None else "",
    )
    return f"| {' | '.join(cells)} |"


def _caption(made: dict[str, Any]) -> str:
    host, versions = made["host"], made["versions"]
    rounds = len(made["sides"][0]["runs"])
    # the first comparisons were all of the modelled mix, and did not say so
    scale = scale_of(made["scale"], modelled_mix=made.get("modelled_mix", True))
    verdicts = {verdict for side in made["sides"] for verdict in side["verdicts"]}
    return (
        f"Medians of {rounds} alternating rounds of {made['duration_seconds']:g} s at "
        f"{scale}, seed {made['seed']}, every verdict "
        f"{' or '.join(sorted(verdicts))}. Measured on {host.get('cpu')}, {host.get('cores')} "
        f"cores, generator, service and {versions.get('redis_server')} together; "
        f"Python {versions.get('python')}, Locust {versions.get('locust')}, "
        f"revision {str(made['git_revision'])[:_REVISION]}"
        f"{' with files not committed' if made['git_dirty'] else ''}. Figures of this machine and "
        "a synthetic load, not a capacity."
    )
