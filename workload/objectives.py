"""The objectives a scenario may set; a run's verdict is made from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from workload.fields import Field, Number, WholeNumber, shown, unknown_name


@dataclass(frozen=True)
class KeyCount:
    """A number of keys, or the word all."""

    def read(self, text: str) -> object:
        """Read a number, or leave the word as it is."""
        return _SOME_KEYS.read(text)

    def problems(self, name: str, value: object) -> list[str]:
        """Refuse anything but a number of keys or the word all."""
        if value == "all" or not _SOME_KEYS.problems(name, value):
            return []
        return [f"{name} must be 'all' or a whole number above 0; it is {shown(value)}."]


_SOME_KEYS: Final = WholeNumber(1, 1_000_000)


ANY_MODE: Final[Mapping[str, Field]] = MappingProxyType(
    {
        "achieved_ratio": Number(0, 1, low_allowed=False),
        "failed": WholeNumber(0, 1_000_000_000),
        "late_ms": Number(0, 60_000, low_allowed=False),
        "late_share": Number(0, 1),
        "stale_ms": Number(0, 3_600_000, low_allowed=False),
        "stale_share": Number(0, 1),
        "total_reads_of_bound": Number(0, 1_000, low_allowed=False),
        "recovery_seconds": Number(0, 3_600, low_allowed=False),
        "longest_wait_ms": Number(0, 60_000, low_allowed=False),
    }
)
# A limit, and the share that may lie beyond it.
PAIRS: Final = (("late_ms", "late_share"), ("stale_ms", "stale_share"))
BY_MODE: Final[Mapping[str, Mapping[str, Field]]] = MappingProxyType(
    {
        "naive": {"hottest_write_share": Number(0, 1, low_allowed=False)},
        "partitioned": {
            "keys_touched": KeyCount(),
            "hottest_share_sigmas": Number(0, 100, low_allowed=False),
        },
    }
)


def objective_problems(objectives: Mapping[str, object]) -> list[str]:
    """List everything wrong with a scenario's objectives, as sentences."""
    general = {name: value for name, value in objectives.items() if name not in BY_MODE}
    problems = _table_problems("objectives", general, ANY_MODE, (*ANY_MODE, *BY_MODE))
    problems += [
        f"objectives.{limit} and objectives.{share} are one objective: give both, or neither."
        for limit, share in PAIRS
        if not problems and (limit in general) != (share in general)
    ]
    for mode, fields in BY_MODE.items():
        table = objectives.get(mode, {})
        if isinstance(table, Mapping):
            problems += _table_problems(f"objectives.{mode}", table, fields, tuple(fields))
        else:
            problems.append(f"objectives.{mode} must be a table; it is {shown(table)}.")
    return problems


def _table_problems(
    within: str, values: Mapping[str, object], fields: Mapping[str, Field], known: tuple[str, ...]
) -> list[str]:
    problems: list[str] = []
    for name, value in values.items():
        if name in fields:
            problems += fields[name].problems(f"{within}.{name}", value)
        else:
            problems.append(unknown_name(name, known, within))
    return problems
