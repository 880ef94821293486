"""A scenario: a named workload in a TOML file, with any value changed by name=value."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from workload.assumptions import Assumptions, InvalidWorkload
from workload.fields import Field, shown, unknown_name
from workload.load import LOAD_FIELDS, LoadSettings, load_problems
from workload.objectives import objective_problems
from workload.overrides import read_overrides
from workload.validity import ASSUMPTION_FIELDS, assumption_problems

NAME_PATTERN: Final = re.compile(r"[a-z0-9-]{1,24}")
TABLES: Final = ("assumptions", "load", "objectives")


@dataclass(frozen=True)
class Scenario:
    """What one kind of run sends and what it must achieve."""

    name: str
    description: str
    assumptions: Assumptions
    load: LoadSettings
    objectives: dict[str, Any]


def load_scenario(path: Path, overrides: Sequence[str] = ()) -> Scenario:
    """Read a scenario and apply overrides; everything wrong with both is raised at once."""
    document = _read(path)
    tables = {name: document.get(name, {}) for name in TABLES}
    problems = _document_problems(document)
    tables = {name: table if isinstance(table, dict) else {} for name, table in tables.items()}

    changed, misread = read_overrides(overrides, {**ASSUMPTION_FIELDS, **LOAD_FIELDS})
    assumptions = asdict(Assumptions()) | _known(tables["assumptions"], changed, ASSUMPTION_FIELDS)
    load = asdict(LoadSettings()) | _known(tables["load"], changed, LOAD_FIELDS)

    problems += _unknown_names("assumptions", tables["assumptions"], ASSUMPTION_FIELDS)
    problems += _unknown_names("load", tables["load"], LOAD_FIELDS)
    problems += objective_problems(tables["objectives"])
    problems = [f"{path.name}: {problem}" for problem in problems] + misread
    problems += assumption_problems(assumptions) + load_problems(load)
    if problems:
        raise InvalidWorkload(tuple(problems))
    return Scenario(
        document["name"],
        document["description"],
        Assumptions(**assumptions),
        LoadSettings(**load),
        tables["objectives"],
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        others = ", ".join(sorted(file.stem for file in path.parent.glob("*.toml"))) or "none"
        problem = f"There is no scenario {path.stem} ({path}); scenarios there: {others}."
    except OSError as error:
        problem = f"The scenario {path} cannot be read: {error.strerror}."
    except UnicodeDecodeError:
        problem = f"The scenario {path} is not text in UTF-8."
    # Not TOMLDecodeError alone: overlong integers and deep nesting fail in their own ways.
    except (ValueError, RecursionError) as error:
        problem = f"The scenario {path} is not valid TOML: {error}."
    raise InvalidWorkload((problem,))


def _document_problems(document: Mapping[str, object]) -> list[str]:
    known = ("name", "description", *TABLES)
    problems = [unknown_name(name, known) for name in document if name not in known]
    name = document.get("name")
    if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
        problems.append(
            f"name must be 1 to 24 characters of a-z, 0-9 and '-'; it is {shown(name)}."
        )
    description = document.get("description")
    if not isinstance(description, str) or not description.strip():
        problems.append(f"description must be a sentence; it is {shown(description)}.")
    problems += [
        f"{table} must be a table; it is {shown(document[table])}."
        for table in TABLES
        if not isinstance(document.get(table, {}), dict)
    ]
    return problems


def _unknown_names(
    table: str, values: Mapping[str, object], fields: Mapping[str, Field]
) -> list[str]:
    names = tuple(fields)
    return [unknown_name(name, names, within=table) for name in values if name not in fields]


def _known(
    table: Mapping[str, object], changed: Mapping[str, object], fields: Mapping[str, Field]
) -> dict[str, Any]:
    values = {name: value for name, value in {**table, **changed}.items() if name in fields}
    # A TOML array becomes the tuple that the frozen values hold.
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
