"""Query parameters: each known by name, given at most once, and held to its rule."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qsl

from target_service.problems import FieldProblem

MOST_PARAMETERS = 100


class Parameter(Protocol):
    """One query parameter of a route."""

    def read(self, text: str) -> int | str:
        """Return the value, or raise ValueError with a sentence."""


@dataclass(frozen=True, slots=True)
class IntegerParameter:
    """A whole number in a range that includes both ends."""

    low: int
    high: int

    def read(self, text: str) -> int:
        """Return the number."""
        if re.fullmatch(r"-?[0-9]{1,10}", text, re.ASCII) and self.low <= int(text) <= self.high:
            return int(text)
        raise ValueError(f"must be an integer from {self.low} to {self.high}")


@dataclass(frozen=True, slots=True)
class ChoiceParameter:
    """One of a few words."""

    choices: tuple[str, ...]

    def read(self, text: str) -> str:
        """Return the word."""
        if text in self.choices:
            return text
        raise ValueError(f"must be {' or '.join(self.choices)}")


@dataclass(frozen=True, slots=True)
class PatternParameter:
    """A word of a certain form."""

    pattern: str
    rule: str

    def read(self, text: str) -> str:
        """Return the word."""
        if re.fullmatch(self.pattern, text):
            return text
        raise ValueError(self.rule)


def read_query(
    query: bytes, parameters: Mapping[str, Parameter]
) -> tuple[dict[str, int | str], list[FieldProblem]]:
    """Return the values given, and every problem found."""
    values: dict[str, int | str] = {}
    if not query:
        return values, []
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_PARAMETERS,
        )
    except ValueError:
        return values, [FieldProblem("query", "must be percent-encoded UTF-8 with few parameters")]
    problems = []
    for name, times in Counter(name for name, _ in pairs).items():
        if name not in parameters:
            known = ", ".join(parameters)
            problems.append(FieldProblem(name, f"is not a parameter here; there is only {known}"))
        elif times > 1:
            problems.append(FieldProblem(name, f"is given {times} times; give it once"))
    for name, text in dict(pairs).items():
        if name in parameters:
            try:
                values[name] = parameters[name].read(text)
            except ValueError as error:
                problems.append(FieldProblem(name, str(error)))
    return values, problems
