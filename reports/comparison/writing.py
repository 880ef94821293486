"""What a comparison leaves: comparison.csv, comparison.json, its page, and a table for a README."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from reports.comparison.measures import COMPARISON_CSV, comparison_table, measures_of
from reports.comparison.sides import Side
from reports.errors import UsageError, WriteFailed
from reports.page.formats import milliseconds
from reports.rundir.files import UnusableFile, read_inside, sane_json
from reports.rundir.finding import write_atomically
from reports.tables.operations import ALL
from reports.wording import percent, scale_of

RECORD_JSON = "comparison.json"
SCHEMA_VERSION = 1


def record(a: Side, b: Side) -> dict[str, Any]:
    """The content of the file; facts are those of the first run, which the page compares."""
    facts = a.rounds[0].run.facts
    return {
        "schema_version": SCHEMA_VERSION,
        "sides": [
            {
                "label": side.label,
                "runs": [one.run.facts.run_id for one in side.rounds],
                "verdicts": [one.verdict.status.value for one in side.rounds],
            }
            for side in (a, b)
        ],
        "scenario": facts.scenario,
        "scale": facts.scale,
        "modelled_mix": facts.model.modelled_mix,
        "duration_seconds": facts.duration_seconds,
        "seed": facts.seed,
        "host": facts.host,
        "versions": facts.versions,
        "git_revision": facts.git_revision,
        "git_dirty": facts.git_dirty,
    }


def write_comparison(a: Side, b: Side, target: Path) -> None:
    """Write both files into `target`, which is made when missing."""
    table = comparison_table(measures_of(a, b))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(f"{target} cannot be made: {error.strerror}.") from error
    write_atomically(target / table.name, table.csv())
    made = json.dumps(record(a, b), indent=2, ensure_ascii=False) + "\n"
    write_atomically(target / RECORD_JSON, made)


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
