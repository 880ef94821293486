"""Which inputs differ between two sides, and which do not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reports.comparison.sides import Side
from reports.wording import host_of

# What a run is called, when it was made, and what follows from the inputs is no input.
_NO_INPUT = (
    "run_id",
    "description",
    "command",
    "warnings",
    "started_at",
    "measured_from",
    "measured_to",
    "ended_at",
    "skew",
    "verdict",
    "model.derived",
    "model.operations",
    "model.partition_shares",
)
_REVISION = 12
_BOARDS = "service.boards"
# These follow from the mode, and would hide what else differs.
_OF_THE_MODE = ("service.mode", "service.keys", _BOARDS)


@dataclass(frozen=True)
class Difference:
    """An input whose values differ: all values of either side, in the order of the rounds."""

    name: str
    a: tuple[str, ...]
    b: tuple[str, ...]

    @property
    def between(self) -> bool:
        """Whether it tells the sides apart, or differs within a side only."""
        return set(self.a) != set(self.b)


@dataclass(frozen=True)
class Inputs:
    """Every input that differs, and the names of those that do not."""

    different: tuple[Difference, ...]
    same: dict[str, str]

    @property
    def between(self) -> list[Difference]:
        """The differences that tell the sides apart."""
        return [one for one in self.different if one.between]


def compared_inputs(a: Side, b: Side) -> Inputs:
    """Look at every field of run.json that is an input."""
    flat = {side.label: [_inputs(one.run.raw) for one in side.rounds] for side in (a, b)}
    names = dict.fromkeys(name for rounds in flat.values() for one in rounds for name in one)
    different, same = [], {}
    for name in names:
        values = [
            tuple(dict.fromkeys(one.get(name, "none") for one in flat[side.label]))
            for side in (a, b)
        ]
        if len({*values[0], *values[1]}) == 1:
            same[name] = values[0][0]
        else:
            different.append(Difference(name, *values))
    if any(one.name == "mode" for one in different):
        different = [one for one in different if one.name not in _OF_THE_MODE]
    return Inputs(tuple(different), same)


def _inputs(raw: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: text
        for name, text in _flat(raw)
        if not any(name == no or name.startswith(f"{no}.") for no in _NO_INPUT)
    }


def _flat(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in content.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and value and path != _BOARDS:
            yield from _flat(value, f"{path}.")
        else:
            yield path, _text(path, value)


def _text(path: str, value: object) -> str:
    if isinstance(value, str):
        return _string(path, value)
    if isinstance(value, dict):
        return ", ".join(f"{name} on {one}" for name, one in value.items()) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def _string(path: str, value: str) -> str:
    if path == "target":
        # The port is the system's choice and says nothing about the service.
        return host_of(value) or value
    return value[:_REVISION] if path == "git_revision" else value
