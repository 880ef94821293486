"""Whether an answer of Prometheus is what its panel can show."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.datacheck.prometheus_api import Series
from dashboards.datacheck.questions import Question


@dataclass(frozen=True)
class Verdict:
    """How one question was answered: how many values came, and what is wrong with them."""

    question: Question
    values: int
    faults: tuple[str, ...]


def judge(question: Question, answer: Sequence[Series], *, may_be_empty: bool = False) -> Verdict:
    """Check an answer for values, for the labels its legend shows, and for sound numbers."""
    values = [value for series in answer for value in series.values]
    faults: list[str] = []
    if not values and not may_be_empty:
        faults.append("no data")
    for series in answer:
        missing = sorted(question.labels - series.labels.keys())
        if missing:
            faults.append(
                f"the legend shows {', '.join(missing)}, a series has only {series.labels}"
            )
    wrong = (question.bounds.fault(value) for value in values)
    faults.extend(dict.fromkeys(fault for fault in wrong if fault))
    return Verdict(question, len(values), tuple(faults))
