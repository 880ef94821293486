"""What is wrong with a body that somebody sent, field by field, where a fast decoder refused it."""

from collections.abc import Callable, Collection, Iterator, Mapping

from target_service.leaderboard.fields import Check
from target_service.leaderboard.lenient_json import read_leniently
from target_service.problems import FieldProblem

MOST_PROBLEMS = 100


def bounded(problems: Iterator[FieldProblem]) -> list[FieldProblem]:
    """Return the problems, up to a hundred."""
    found: list[FieldProblem] = []
    for problem in problems:
        if len(found) == MOST_PROBLEMS:
            found.append(FieldProblem("body", "has more problems than are listed here"))
            break
        found.append(problem)
    return found


def explain_body(
    body: bytes, explain: Callable[[object], Iterator[FieldProblem]]
) -> list[FieldProblem]:
    """Return what `explain` finds in the body's value, or that it is no JSON."""
    try:
        value = read_leniently(body)
    except ValueError as error:
        return [FieldProblem("body", str(error))]
    return bounded(explain(value))


def explain_value(field: str, value: object, check: Check) -> Iterator[FieldProblem]:
    """Yield the sentence of a check that the value does not pass."""
    sentence = check(value)
    if sentence is not None:
        yield FieldProblem(field, sentence)


def explain_fields(
    fields: Mapping[str, object],
    checks: Mapping[str, Check],
    required: Collection[str],
    *,
    prefix: str = "",
    kind: str = "this request",
    explain: Callable[[str, object, Check], Iterator[FieldProblem]] = explain_value,
) -> Iterator[FieldProblem]:
    """Yield every field that is wrong, is missing, or belongs to no `kind`."""
    for name, check in checks.items():
        if name in fields:
            yield from explain(prefix + name, fields[name], check)
        elif name in required:
            yield FieldProblem(prefix + name, "is missing")
    for name in fields:
        if name not in checks:
            yield FieldProblem(prefix + name, f"is not a field of {kind}")
