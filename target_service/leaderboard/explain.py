"""Naming every bad field of a score event, or of a batch of them, that the fast decoder refused."""

from collections.abc import Iterator, Mapping

from target_service.leaderboard.field_problems import explain_body, explain_fields, explain_value
from target_service.leaderboard.fields import (
    Check,
    check_id,
    check_name,
    check_score,
    check_sequence,
)
from target_service.leaderboard.rules import BATCH_EVENTS
from target_service.problems import FieldProblem

_EVENT: Mapping[str, Check] = {
    "event_id": check_id,
    "player_id": check_id,
    "region": check_name,
    "mode": check_name,
    "season": check_name,
    "score": check_score,
    "sequence": check_sequence,
}
_COLUMNS: Mapping[str, Check] = {
    name: _EVENT[name] for name in ("event_id", "player_id", "score", "sequence")
}
_OPTIONAL = frozenset({"sequence"})


def explain_event(body: bytes) -> list[FieldProblem]:
    """Return every problem of one event's body."""
    return explain_body(body, _event)


def explain_columns(body: bytes) -> list[FieldProblem]:
    """Return every problem of a batch's body, up to a hundred."""
    return explain_body(body, _columns)


def _event(value: object) -> Iterator[FieldProblem]:
    if not isinstance(value, dict):
        yield FieldProblem("body", "must be a JSON object")
        return
    yield from explain_fields(value, _EVENT, _EVENT.keys() - _OPTIONAL)


def _columns(value: object) -> Iterator[FieldProblem]:
    if not isinstance(value, dict):
        yield FieldProblem("body", "must be a JSON object")
        return
    yield from explain_fields(value, _COLUMNS, _COLUMNS.keys() - _OPTIONAL, explain=_column)
    yield from _lengths(value)


def _column(name: str, values: object, check: Check) -> Iterator[FieldProblem]:
    if not isinstance(values, list):
        yield FieldProblem(name, "must be a list")
        return
    if not 1 <= len(values) <= BATCH_EVENTS:
        yield FieldProblem(name, f"must hold 1 to {BATCH_EVENTS} values")
        return
    for index, value in enumerate(values):
        yield from explain_value(f"{name}[{index}]", value, check)


def _lengths(columns: Mapping[str, object]) -> Iterator[FieldProblem]:
    lengths = {
        name: len(values)
        for name, values in columns.items()
        if name in _COLUMNS and isinstance(values, list)
    }
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        for name in lengths:
            yield FieldProblem(name, f"must be as long as the other columns: {told}")
