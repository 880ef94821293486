"""Naming every bad field of a body that the fast decoder refused."""

from collections.abc import Collection, Iterator, Mapping

from target_service.achievements.counters import COUNTER_LIMIT
from target_service.achievements.tracks import COLUMNS
from target_service.leaderboard.field_problems import explain_body, explain_fields
from target_service.leaderboard.fields import Check, check_id, whole_number
from target_service.leaderboard.rules import BATCH_EVENTS
from target_service.problems import FieldProblem

_check_counter = whole_number(0, COUNTER_LIMIT)
_COUNTERS: Mapping[str, Check] = dict.fromkeys(COLUMNS, _check_counter)
_EVENT: Mapping[str, Check] = {"event_id": check_id, **_COUNTERS}


def _check_optional_id(value: object) -> str | None:
    sentence = None if value is None else check_id(value)
    return sentence and f"{sentence}; or null"


_MEMBER: Mapping[str, Check] = {
    "organization": _check_optional_id,
    "tracking_code": _check_optional_id,
}


def explain_events(body: bytes) -> list[FieldProblem]:
    """Return every problem of one event, or of a list of them."""
    return explain_body(body, _events)


def explain_values(body: bytes) -> list[FieldProblem]:
    """Return every problem of a reconcile."""
    return explain_body(body, lambda value: _fields(value, _COUNTERS, COLUMNS))


def explain_member(body: bytes) -> list[FieldProblem]:
    """Return every problem of a member's description."""
    return explain_body(body, lambda value: _fields(value, _MEMBER, ()))


def _events(value: object) -> Iterator[FieldProblem]:
    if not isinstance(value, list):
        yield from _fields(value, _EVENT, {"event_id"})
        return
    if not 1 <= len(value) <= BATCH_EVENTS:
        yield FieldProblem("body", f"must hold 1 to {BATCH_EVENTS} events")
        return
    for index, event in enumerate(value):
        yield from _fields(event, _EVENT, {"event_id"}, f"[{index}]")


def _fields(
    value: object, checks: Mapping[str, Check], required: Collection[str], where: str = ""
) -> Iterator[FieldProblem]:
    if not isinstance(value, dict):
        yield FieldProblem(where or "body", "must be a JSON object")
        return
    yield from explain_fields(value, checks, required, prefix=f"{where}." if where else "")
