"""A scenario: a named workload in a TOML file, with any value changed by name=value."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from workload.assumptions import (
    ASSUMPTION_FIELDS,
    Assumptions,
    InvalidWorkload,
    assumption_problems,
)
from workload.fields import Field, exact, read_overrides, shown, unknown_name
from workload.load import LOAD_FIELDS, LoadSettings, load_problems
from workload.model import TrafficModel
from workload.objectives import objective_problems
from workload.operations import OPERATION_FIELDS, OPERATIONS, mix_problems

NAME_PATTERN: Final = re.compile(r"[a-z0-9-]{1,24}")
_FIELDS: Final[Mapping[str, Mapping[str, Field]]] = MappingProxyType(
    {"assumptions": ASSUMPTION_FIELDS, "load": LOAD_FIELDS, "operations": OPERATION_FIELDS}
)
TABLES: Final = ("assumptions", "load", "objectives", "operations")


@dataclass(frozen=True)
class Scenario:
    """What one kind of run sends and what it must achieve."""

    name: str
    description: str
    assumptions: Assumptions
    load: LoadSettings
    objectives: dict[str, Any]
    modelled_mix: bool
    # requests per second at scale 1, beside the modelled mix or instead of it
    operations: dict[str, float]

    def rates(self, scale: Fraction | float = 1) -> dict[str, Fraction]:
        """Give the exact requests per second of each operation that the scenario sends."""
        modelled = TrafficModel(self.assumptions).operation_rates(scale)
        own = {name: exact(rate) * exact(scale) for name, rate in self.operations.items() if rate}
        rates = (modelled if self.modelled_mix else {}) | own
        return {name: rates[name] for name in OPERATIONS if name in rates}


def load_scenario(path: Path, overrides: Sequence[str] = ()) -> Scenario:
    """Read a scenario and apply overrides; everything wrong with both is raised at once."""
    document, problems = _read(path)
    tables = {name: _table(document, name) for name in TABLES}
    changed, misread = read_overrides(
        overrides, {**ASSUMPTION_FIELDS, **LOAD_FIELDS, **OPERATION_FIELDS}
    )
    assumptions = asdict(Assumptions()) | _known(tables["assumptions"], changed, ASSUMPTION_FIELDS)
    load = asdict(LoadSettings()) | _known(tables["load"], changed, LOAD_FIELDS)
    operations = _known(tables["operations"], changed, OPERATION_FIELDS)
    modelled_mix = document.get("modelled_mix", True)

    problems += misread + assumption_problems(assumptions) + load_problems(load)
    problems += mix_problems(operations, modelled_mix=modelled_mix)
    if problems:
        raise InvalidWorkload(tuple(problems))
    return Scenario(
        document["name"],
        document["description"],
        Assumptions(**assumptions),
        LoadSettings(**load),
        tables["objectives"],
        modelled_mix,
        operations,
    )


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    """Read the file, and list what is wrong with it before its values are looked at."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        others = ", ".join(sorted(file.stem for file in path.parent.glob("*.toml"))) or "none"
        return {}, [f"There is no scenario {path.stem} ({path}); scenarios there: {others}."]
    except OSError as error:
        return {}, [f"The scenario {path} cannot be read: {error.strerror}."]
    except UnicodeDecodeError:
        return {}, [f"The scenario {path} is not text in UTF-8."]
    # Not TOMLDecodeError alone: overlong integers and deep nesting fail in their own ways.
    except (ValueError, RecursionError) as error:
        return {}, [f"The scenario {path} is not valid TOML: {error}."]
    return document, [f"{path.name}: {problem}" for problem in _document_problems(document)]


def _table(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = document.get(name, {})
    return table if isinstance(table, dict) else {}


def _document_problems(document: Mapping[str, object]) -> list[str]:
    known = ("name", "description", "modelled_mix", *TABLES)
    problems = [_unknown_key(name, known) for name in document if name not in known]
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
    for table, fields in _FIELDS.items():
        problems += _unknown_names(table, document, fields)
    return problems + objective_problems(_table(document, "objectives"))


def _unknown_key(name: str, known: tuple[str, ...]) -> str:
    for table, fields in _FIELDS.items():
        if name in fields:
            return f"{name} belongs below [{table}]."
    return unknown_name(name, known)


def _unknown_names(
    table: str, document: Mapping[str, Any], fields: Mapping[str, Field]
) -> list[str]:
    known = tuple(fields)
    return [
        unknown_name(name, known, within=table)
        for name in _table(document, table)
        if name not in fields
    ]


def _known(
    table: Mapping[str, object], changed: Mapping[str, object], fields: Mapping[str, Field]
) -> dict[str, Any]:
    values = {name: value for name, value in {**table, **changed}.items() if name in fields}
    # A TOML array becomes the tuple that the frozen values hold.
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
