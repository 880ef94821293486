"""A comparison as text for a terminal: what differs, what came of it."""

import textwrap

from reports.comparison.inputs import compared_inputs
from reports.comparison.measures import measures_of
from reports.comparison.sides import Side
from reports.comparison.words import DISTRUST, distrusted, findings, first_line, rounds_line

_WIDTH = 100


def comparison_text(a: Side, b: Side) -> str:
    """The sentences of the page, wrapped."""
    inputs = compared_inputs(a, b)
    paragraphs = [first_line(inputs, a, b), rounds_line(inputs)]
    lines = [textwrap.fill(one, _WIDTH) for one in paragraphs if one]
    for side in (a, b):
        verdicts = ", ".join(one.verdict.status.value for one in side.rounds)
        lines.append(f"{side.label}: {verdicts}")
    reasons = distrusted(a, b)
    if reasons:
        lines += [DISTRUST, *map(_bullet, reasons)]
    return "\n".join([*lines, "", *map(_bullet, findings(measures_of(a, b), a, b))]) + "\n"


def _bullet(sentence: str) -> str:
    return textwrap.fill(sentence, _WIDTH, initial_indent="  · ", subsequent_indent="    ")
