"""Naming every bad field of a body that the fast decoder refused."""

from collections.abc import Callable, Iterator, Mapping

from target_service.achievements.counters import COLUMNS, COUNTER_LIMIT
from target_service.leaderboard.explain import bounded
from target_service.leaderboard.fields import Check, check_id, whole_number
from target_service.leaderboard.lenient_json import read_leniently
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
    return bounded(_explain(body, _events))


def explain_values(body: bytes) -> list[FieldProblem]:
    """Return every problem of a reconcile."""
    return bounded(_explain(body, lambda value: _fields(value, _COUNTERS, frozenset(COLUMNS))))


def explain_member(body: bytes) -> list[FieldProblem]:
    """Return every problem of a member's description."""
    return bounded(_explain(body, lambda value: _fields(value, _MEMBER, frozenset())))


def _explain(
    body: bytes, explain: Callable[[object], Iterator[FieldProblem]]
) -> Iterator[FieldProblem]:
    try:
        value = read_leniently(body)
    except ValueError as error:
        yield FieldProblem("body", str(error))
        return
    yield from explain(value)


def _events(value: object) -> Iterator[FieldProblem]:
    if not isinstance(value, list):
        yield from _fields(value, _EVENT, frozenset({"event_id"}))
        return
    if not 1 <= len(value) <= BATCH_EVENTS:
        yield FieldProblem("body", f"must hold 1 to {BATCH_EVENTS} events")
        return
    for index, event in enumerate(value):
        yield from _fields(event, _EVENT, frozenset({"event_id"}), f"[{index}]")


def _fields(
    value: object, checks: Mapping[str, Check], required: frozenset[str], where: str = ""
) -> Iterator[FieldProblem]:
    if not isinstance(value, dict):
        yield FieldProblem(where or "body", "must be a JSON object")
        return
    prefix = f"{where}." if where else ""
    for name, check in checks.items():
        if name in value:
            sentence = check(value[name])
            if sentence is not None:
                yield FieldProblem(prefix + name, sentence)
        elif name in required:
            yield FieldProblem(prefix + name, "is missing")
    for name in value:
        if name not in checks:
            yield FieldProblem(prefix + name, "is not a field of this request")
