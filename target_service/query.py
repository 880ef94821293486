"""Query parameters: each known by name, given at most once, and held to its rule."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qsl

from target_service.leaderboard.rules import NAME_PATTERN, NAME_RULE
from target_service.problems import FieldProblem

MOST_PARAMETERS = 100


class Parameter(Protocol):
    """One query parameter of a route."""

    def read(self, text: str) -> int | str:
        """Return the value, or raise ValueError with a sentence."""

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""


@dataclass(frozen=True, slots=True)
class IntegerParameter:
    """A whole number in a range that includes both ends."""

    low: int
    high: int
    default: int

    def read(self, text: str) -> int:
        """Return the number."""
        if re.fullmatch(r"-?[0-9]{1,10}", text, re.ASCII) and self.low <= int(text) <= self.high:
            return int(text)
        raise ValueError(f"must be an integer from {self.low} to {self.high}")

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {
            "type": "integer",
            "minimum": self.low,
            "maximum": self.high,
            "default": self.default,
        }


@dataclass(frozen=True, slots=True)
class ChoiceParameter:
    """One of a few words, the first of which is the default."""

    choices: tuple[str, ...]

    def read(self, text: str) -> str:
        """Return the word."""
        if text in self.choices:
            return text
        raise ValueError(f"must be {' or '.join(self.choices)}; nothing else is offered")

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"enum": list(self.choices), "default": self.choices[0]}


class SeasonParameter:
    """The name of a season; without it, the only active one is meant."""

    def read(self, text: str) -> str:
        """Return the name."""
        if re.fullmatch(NAME_PATTERN, text):
            return text
        raise ValueError(NAME_RULE)

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        return {"type": "string", "pattern": f"^{NAME_PATTERN}$"}


Parameters = Mapping[str, Parameter]
Values = dict[str, int | str]


def read_query(query: bytes, parameters: Parameters) -> tuple[Values, list[FieldProblem]]:
    """Return the values given, and every problem found."""
    values: Values = {}
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
        sentence = f"must be percent-encoded UTF-8 with at most {MOST_PARAMETERS} parameters"
        return values, [FieldProblem("query", sentence)]
    problems = []
    for name, times in Counter(name for name, _ in pairs).items():
        if name not in parameters:
            known = f"only {', '.join(parameters)}" if parameters else "none"
            problems.append(FieldProblem(name, f"is no parameter here; there is {known}"))
        elif times > 1:
            problems.append(FieldProblem(name, f"is given {times} times; give it once"))
    for name, text in pairs:
        if name in parameters:
            try:
                values[name] = parameters[name].read(text)
            except ValueError as error:
                problems.append(FieldProblem(name, str(error)))
    return values, problems
