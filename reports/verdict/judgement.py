"""One judged statement, and the evidence the judges look at."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from reports.numbers.traffic import Traffic
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.rundir.scenario_facts import Drill


class Outcome(StrEnum):
    """How one statement was judged; what could not be judged stands in the way of a pass."""

    MET = "met"
    MISSED = "missed"
    NOT_JUDGED = "not judged"
    NOT_ASKED = "not asked"


@dataclass(frozen=True)
class Judgement:
    """One objective: what was asked, and what was found, in words with numbers."""

    name: str
    outcome: Outcome
    asked: str
    found: str

    @property
    def sentence(self) -> str:
        """The judgement as a line of a list of reasons."""
        return f"{self.found} (objective: {self.asked})"


@dataclass(frozen=True)
class Evidence:
    """What an objective is judged by."""

    facts: Facts
    measurements: Measurements
    traffic: Traffic
    drill: Drill | None = None


Judge = Callable[[Mapping[str, Any], Evidence], Iterable[Judgement]]


def exact(value: object) -> Fraction:
    """An objective's number as written; raises TypeError for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return Fraction(str(value))
