"""The data dictionary and the code name the same columns and fields."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.comparison import measures
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.tables import keys, operations, scenarios

DICTIONARY = Path(__file__).parents[2] / "docs" / "data-dictionary.md"
TABLES = {
    "operations.csv": operations.OPERATIONS_COLUMNS,
    "keys.csv": keys.KEYS_COLUMNS,
    "timeline.csv": operations.TIMELINE_COLUMNS,
    "key_timeline.csv": keys.KEY_TIMELINE_COLUMNS,
    "failures.csv": operations.FAILURES_COLUMNS,
    "odometer.csv": scenarios.ODOMETER_COLUMNS,
    "shards.csv": keys.SHARDS_COLUMNS,
    "sweep.csv": scenarios.SWEEP_COLUMNS,
    "comparison.csv": measures.COLUMNS,
}


def _section(name: str) -> dict[str, str]:
    """The names of one section's table and their meanings."""
    text = DICTIONARY.read_text().split(f"\n## {name}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| (\S+) \| (.+) \|$", text, flags=re.MULTILINE)[1:])


def documented_names(name: str) -> list[str]:
    """The names of one section's table."""
    return list(_section(name))


def _documented(path: str, fields: dict[str, str]) -> bool:
    patterns = (re.escape(field).replace(r"\*", r"[^.]+") for field in fields)
    return any(re.fullmatch(rf"{pattern}(\..+)?", path) for pattern in patterns)


def _paths(content: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in content.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


@pytest.mark.parametrize("name", TABLES)
def test_every_column_is_in_the_dictionary(name: str) -> None:
    """The dictionary lists the columns of each CSV file, in their order."""
    assert list(TABLES[name]) == list(_section(name))


def test_every_field_of_run_json_is_in_the_dictionary(tmp_path: Path) -> None:
    """Every field of a completed run.json has its meaning."""
    run = make_run(tmp_path, Plan(duration_seconds=4))
    main(["tables", str(run)])
    fields = _section("run.json")
    content = json.loads((run / "run.json").read_text())

    assert [] == [path for path in _paths(content) if not _documented(path, fields)]


def test_the_dictionary_names_no_field_that_is_not_there() -> None:
    """Every documented field is one the code reads or writes."""
    known = {field.name for field in msgspec.structs.fields(Facts)} | {"skew", "verdict"}

    assert known == {field.split(".")[0] for field in _section("run.json")}


def test_the_dictionary_names_the_fields_of_measurements() -> None:
    """All that are read, and no other."""
    known = {field.name for field in msgspec.structs.fields(Measurements)}

    assert known == set(_section("measurements.json"))


def test_one_name_has_one_meaning() -> None:
    """A later mention of a column refers to its first meaning."""
    timeline_meanings = _section("timeline.csv")
    shared = [name for name in timeline_meanings if name in operations.OPERATIONS_COLUMNS]

    assert {"as in operations.csv"} == {
        timeline_meanings[name] for name in shared if name != "completed"
    }
