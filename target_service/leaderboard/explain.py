"""Naming every bad field of a request body that the fast decoder refused."""

from collections.abc import Callable, Iterator, Mapping

from target_service.leaderboard.fields import (
    Check,
    check_id,
    check_name,
    check_score,
    check_sequence,
)
from target_service.leaderboard.lenient_json import read_leniently
from target_service.leaderboard.rules import BATCH_EVENTS
from target_service.problems import FieldProblem

ExplainField = Callable[[str, object, Check], Iterator[FieldProblem]]

MOST_PROBLEMS = 100
OPTIONAL = frozenset({"sequence"})
EVENT_CHECKS: Mapping[str, Check] = {
    "event_id": check_id,
    "player_id": check_id,
    "region": check_name,
    "mode": check_name,
    "season": check_name,
    "score": check_score,
    "sequence": check_sequence,
}
COLUMN_CHECKS: Mapping[str, Check] = {
    name: EVENT_CHECKS[name] for name in ("event_id", "player_id", "score", "sequence")
}


def explain_event(body: bytes) -> list[FieldProblem]:
    """Return every problem of one event's body."""
    return bounded(_explain(body, EVENT_CHECKS, _explain_value))


def explain_columns(body: bytes) -> list[FieldProblem]:
    """Return every problem of a batch's body, up to a hundred."""
    return bounded(_explain(body, COLUMN_CHECKS, _explain_column))


def bounded(problems: Iterator[FieldProblem]) -> list[FieldProblem]:
    """Return the problems, up to a hundred."""
    found: list[FieldProblem] = []
    for problem in problems:
        if len(found) == MOST_PROBLEMS:
            found.append(FieldProblem("body", "has more problems than are listed here"))
            break
        found.append(problem)
    return found


def _explain(
    body: bytes, checks: Mapping[str, Check], explain_field: ExplainField
) -> Iterator[FieldProblem]:
    try:
        value = read_leniently(body)
    except ValueError as error:
        yield FieldProblem("body", str(error))
        return
    if not isinstance(value, dict):
        yield FieldProblem("body", "must be a JSON object")
        return
    for name, check in checks.items():
        if name in value:
            yield from explain_field(name, value[name], check)
        elif name not in OPTIONAL:
            yield FieldProblem(name, "is missing")
    for name in value:
        if name not in checks:
            yield FieldProblem(name, "is not a field of this request")
    if explain_field is _explain_column:
        yield from _explain_lengths(value)


def _explain_value(name: str, value: object, check: Check) -> Iterator[FieldProblem]:
    sentence = check(value)
    if sentence is not None:
        yield FieldProblem(name, sentence)


def _explain_column(name: str, values: object, check: Check) -> Iterator[FieldProblem]:
    if not isinstance(values, list):
        yield FieldProblem(name, "must be a list")
        return
    if not 1 <= len(values) <= BATCH_EVENTS:
        yield FieldProblem(name, f"must hold 1 to {BATCH_EVENTS} values")
        return
    for index, value in enumerate(values):
        yield from _explain_value(f"{name}[{index}]", value, check)


def _explain_lengths(columns: Mapping[str, object]) -> Iterator[FieldProblem]:
    lengths = {
        name: len(values)
        for name, values in columns.items()
        if name in COLUMN_CHECKS and isinstance(values, list)
    }
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        for name in lengths:
            yield FieldProblem(name, f"must be as long as the other columns: {told}")
