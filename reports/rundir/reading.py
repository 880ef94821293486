"""Reading a run directory: what is there, and a sentence for all that is missing or broken."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from reports.errors import BrokenRun
from reports.rundir.facts import SCHEMA_VERSION, Facts
from reports.rundir.files import UnusableFile, read_inside, readable_json, sane_json
from reports.rundir.measurements import Measurements, Settled, histogram_hook
from reports.rundir.scenario_facts import Drill
from reports.rundir.seconds import SECONDS_JSONL, Seconds, read_seconds


class Invariant(msgspec.Struct, frozen=True):
    """One comparison: left, relation, right, and whether it held."""

    name: str
    left: int | float | str | None
    relation: str
    right: int | float | str | None
    held: bool

    @property
    def sentence(self) -> str:
        """The comparison with its numbers."""
        return f"{self.name}: {shown(self.left)} {self.relation} {shown(self.right)}"


class NotComparable(msgspec.Struct, frozen=True):
    """What could not be compared, and why; expected where the run was meant to be so."""

    name: str
    reason: str
    expected: bool = True


class Audit(msgspec.Struct, frozen=True):
    """One audit.json; an incident is a sentence about what befell the run from outside."""

    invariants: list[Invariant]
    not_comparable: list[NotComparable] = []
    incidents: list[str] = []


def shown(value: float | str | None) -> str:
    """One side of a comparison as text."""
    if value is None:
        return "not known"
    return f"{value:,}" if isinstance(value, int | float) else value


RUN_JSON = "run.json"
MEASUREMENTS_JSON = "measurements.json"
AUDIT_JSON = "audit.json"
DRILL_JSON = "drill.json"

Content = TypeVar("Content", Facts, Measurements, Audit, Drill)


@dataclass(frozen=True)
class Run:
    """A run directory's content; `problems` names each file that could not be used."""

    path: Path
    raw: dict[str, Any]
    facts: Facts
    measurements: Measurements | None
    audit: Audit | None
    drill: Drill | None = None
    seconds: Seconds | None = None
    problems: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class _Read:
    found: bool
    problem: str | None = None


def read_run(path: Path) -> Run:
    """Read the run at `path`; only an unusable run.json is fatal, and raises BrokenRun."""
    facts, raw = read_facts(path)
    measurements, state = _read(path / MEASUREMENTS_JSON, Measurements)
    problems = []
    if not state.found:
        problems.append(
            f"{MEASUREMENTS_JSON} is missing: the run was cut off before its first checkpoint"
        )
    elif state.problem:
        problems.append(state.problem)
    elif measurements and measurements.schema_version != SCHEMA_VERSION:
        problems.append(_other_schema(MEASUREMENTS_JSON, measurements.schema_version))
        measurements = None
    audit, state = _read(path / AUDIT_JSON, Audit)
    if state.problem:
        problems.append(state.problem)
    drill, state = _read(path / DRILL_JSON, Drill)
    if state.problem:
        problems.append(state.problem)
    seconds = None
    if measurements:
        seconds, trouble = _seconds(path, measurements, int(facts.duration_seconds))
        problems += trouble
    return Run(path, raw, facts, measurements, audit, drill, seconds, tuple(problems))


def _seconds(
    path: Path, measurements: Measurements, duration_seconds: int
) -> tuple[Seconds, list[str]]:
    """The seconds, or those of measurements.json alone and why there are no others."""
    try:
        return read_seconds(path, measurements, duration_seconds), []
    except OSError as error:
        trouble = f"{SECONDS_JSONL} cannot be read: {error.strerror}"
    except ValueError as error:
        trouble = str(error)
    rest = msgspec.structs.replace(measurements, settled=Settled())
    return read_seconds(path, rest, duration_seconds), [trouble]


def read_facts(path: Path) -> tuple[Facts, dict[str, Any]]:
    """Read run.json, typed and as it stands; raises BrokenRun with a sentence."""
    facts, state = _read(path / RUN_JSON, Facts)
    if not state.found:
        raise BrokenRun(
            f"{path} has no {RUN_JSON}: it is not a run directory, or the run never began."
        )
    if facts is None:
        raise BrokenRun(f"{path}: {state.problem}.")
    if facts.schema_version != SCHEMA_VERSION:
        raise BrokenRun(f"{path}: {_other_schema(RUN_JSON, facts.schema_version)}.")
    raw: dict[str, Any] = msgspec.json.decode(read_inside(path, RUN_JSON))
    return facts, raw


def _read(path: Path, kind: type[Content]) -> tuple[Content | None, _Read]:
    try:
        data = read_inside(path.parent, path.name)
    except FileNotFoundError:
        return None, _Read(found=False)
    except UnusableFile as error:
        return None, _Read(found=True, problem=str(error))
    if not data.strip():
        return None, _Read(
            found=True, problem=f"{path.name} is empty: it was cut off while written"
        )
    try:
        sane_json(data)
        content = msgspec.json.decode(readable_json(data), type=kind, dec_hook=histogram_hook)
        return content, _Read(found=True)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return None, _Read(found=True, problem=f"{path.name} cannot be used: {error}")


def _other_schema(name: str, version: int) -> str:
    return f"{name} has schema_version {version}, and this version reads {SCHEMA_VERSION}"
