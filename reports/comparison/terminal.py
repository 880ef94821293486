"""A comparison as text for a terminal: what differs, what came of it."""

from reports.comparison.inputs import compared_inputs
from reports.comparison.measures import measures_of
from reports.comparison.sides import Side
from reports.comparison.words import DISTRUST, distrusted, findings, first_line, rounds_line
from reports.terminal import wrapped

_WIDTH = 100


def comparison_text(a: Side, b: Side, columns: int | None = None) -> str:
    """The sentences of the page, wrapped; of what cannot be trusted there is no finding."""
    inputs = compared_inputs(a, b)
    lines = [one for one in (first_line(inputs, a, b), rounds_line(inputs)) if one]
    for side in (a, b):
        verdicts = ", ".join(one.verdict.status.value for one in side.rounds)
        lines.append(f"{side.label}: {verdicts}")
    reasons = distrusted(a, b)
    if reasons:
        lines += [DISTRUST, *(f"  · {one}" for one in reasons)]
    else:
        lines += ["", *(f"  · {one}" for one in findings(measures_of(a, b), a, b))]
    return wrapped("\n".join(lines), columns or _WIDTH) + "\n"
