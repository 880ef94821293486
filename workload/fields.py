"""The kinds of value a scenario may hold: how each is read from text and what may be wrong."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Final, Protocol


def exact(number: float | Fraction) -> Fraction:
    """Take a number as the decimal its shortest text shows: 0.02 is exactly 1/50."""
    return Fraction(str(number))


def decimal_text(number: float, times: int = 1) -> str:
    """Write a number, or a multiple of it, in full with at least one decimal: 2.0, 0.125."""
    digits = f"{Decimal(str(number)) * times:f}"
    whole, _, places = digits.partition(".")
    return f"{whole}.{places.rstrip('0') or '0'}"


NAME_PATTERN: Final = re.compile(r"[a-z0-9-]{1,32}")
LONGEST_SHOWN: Final = 60


class Field(Protocol):
    """One kind of value: reads it from text and says what is wrong with it."""

    def read(self, text: str) -> object:
        """Turn text into the value; unreadable text stays as it is, for `problems` to name."""
        ...

    def problems(self, name: str, value: object) -> list[str]:
        """Say in sentences what is wrong with the value."""
        ...


@dataclass(frozen=True)
class WholeNumber:
    """An integer between two bounds, both allowed."""

    low: int
    high: int

    def read(self, text: str) -> object:
        """Read an integer."""
        try:
            return int(text)
        except ValueError:
            return text

    def problems(self, name: str, value: object) -> list[str]:
        """Refuse anything but an integer within the bounds."""
        if isinstance(value, int) and not isinstance(value, bool) and self._holds(value):
            return []
        bounds = f"from {self.low:,} to {self.high:,}"
        return [f"{name} must be a whole number {bounds}; it is {shown(value)}."]

    def _holds(self, value: int) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Number:
    """A finite number between two bounds; the lower one may be left out."""

    low: float
    high: float
    low_allowed: bool = True

    def read(self, text: str) -> object:
        """Read a finite decimal number."""
        try:
            value = float(text)
        except ValueError:
            return text
        return value if math.isfinite(value) else text

    def problems(self, name: str, value: object) -> list[str]:
        """Refuse anything but a number within the bounds."""
        if isinstance(value, int | float) and not isinstance(value, bool) and self._holds(value):
            return []
        start = "from" if self.low_allowed else "above"
        bounds = f"{start} {self.low:,} up to {self.high:,}"
        return [f"{name} must be a number {bounds}; it is {shown(value)}."]

    def _holds(self, value: float) -> bool:
        # NaN and the infinities fail these comparisons too.
        above = value >= self.low if self.low_allowed else value > self.low
        return above and value <= self.high


@dataclass(frozen=True)
class Names:
    """A list of distinct names, written as a comma list in text."""

    example: str

    def read(self, text: str) -> object:
        """Split a comma list; blank text is the empty list."""
        return tuple(part.strip() for part in text.split(",")) if text.strip() else ()

    def problems(self, name: str, value: object) -> list[str]:
        """Refuse an empty list, names that cannot be part of a key, and names given twice."""
        if not isinstance(value, list | tuple):
            return [
                f"{name} must be a list of names, such as {self.example}; it is {shown(value)}."
            ]
        if not value:
            return [f"{name} must hold at least one name, such as {self.example}; it is empty."]
        problems = []
        # A list, not a set: a scenario file may put anything here, tables included.
        distinct = [item for place, item in enumerate(value) if item not in value[:place]]
        bad = [shown(item) for item in distinct if not _is_name(item)]
        if bad:
            listed = ", ".join(bad)
            problems.append(
                f"{name} holds {listed}, but a name is 1 to 32 characters of a-z, 0-9 and '-'."
            )
        twice = [shown(item) for item in distinct if value.count(item) > 1]
        if twice:
            problems.append(f"{name} holds {', '.join(twice)} more than once; name each one once.")
        return problems


@dataclass(frozen=True)
class Choice:
    """One word out of a closed list."""

    options: tuple[str, ...]

    def read(self, text: str) -> object:
        """Take the text as it is."""
        return text

    def problems(self, name: str, value: object) -> list[str]:
        """Refuse any other word, and point at the closest one."""
        if value in self.options:
            return []
        hint = closest_hint(value, self.options) if isinstance(value, str) else ""
        return [f"{name} must be one of {', '.join(self.options)}; it is {shown(value)}.{hint}"]


def field_problems(
    fields: Mapping[str, Field], values: Mapping[str, object]
) -> dict[str, list[str]]:
    """Check every value on its own: name of each wrong field → what is wrong with it."""
    problems = {name: fields[name].problems(name, value) for name, value in values.items()}
    return {name: sentences for name, sentences in problems.items() if sentences}


def unknown_name(name: str, known: tuple[str, ...], within: str = "") -> str:
    """Say that there is no such name, and which one was probably meant."""
    place = f" in {within}" if within else ""
    hint = closest_hint(name, known) or f" Known names: {', '.join(known)}."
    return f"There is no name {shown(name)}{place}.{hint}"


def closest_hint(word: str, known: tuple[str, ...]) -> str:
    """Ask for the known word closest to a mistyped one, if one is close."""
    closest = get_close_matches(word, known, n=1, cutoff=0.4)
    return f" Did you mean {closest[0]}?" if closest else ""


def shown(value: object) -> str:
    """Write a value of the user's into a sentence, cut when it is very long."""
    if value is None:
        return "missing"
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print integers of thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _is_name(item: object) -> bool:
    return isinstance(item, str) and NAME_PATTERN.fullmatch(item) is not None


def read_overrides(
    overrides: Sequence[str], fields: Mapping[str, Field]
) -> tuple[dict[str, object], list[str]]:
    """Read the values by name, the last of a name counting, and what could not be understood."""
    values: dict[str, object] = {}
    problems: list[str] = []
    for override in overrides:
        name, equals, text = override.partition("=")
        name = name.strip()
        if not equals:
            problems.append(
                f"{shown(override)} is no override; write name=value, such as top_k_share=0.25."
            )
        elif name not in fields:
            problems.append(unknown_name(name, tuple(fields)))
        else:
            values[name] = fields[name].read(text.strip())
    return values, problems
