"""Reading a request: the id in its path, its query, and its body, with every problem at once."""

from collections.abc import Callable
from typing import NoReturn, TypeVar

import msgspec

from target_service.call import Call
from target_service.leaderboard.path import read_player
from target_service.leaderboard.rules import ID_RULE
from target_service.problems import FieldProblem, InvalidRequest
from target_service.query import Parameters, Values, read_query

T = TypeVar("T")
Explain = Callable[[bytes], list[FieldProblem]]

NAMED = 3


def read_id(call: Call, field: str) -> tuple[str, list[FieldProblem]]:
    """Return the id the path names, and what is wrong with it."""
    name = read_player(call.segments[NAMED])
    return (name, []) if name is not None else ("", [FieldProblem(field, ID_RULE)])


def read_named(call: Call, field: str, parameters: Parameters) -> tuple[str, Values]:
    """Return the id the path names, and the query's values; raises InvalidRequest."""
    name, problems = read_id(call, field)
    values, others = read_query(call.query, parameters)
    if problems or others:
        raise InvalidRequest(problems + others)
    return name, values


def read_body(
    call: Call, field: str, body: bytes, decode: Callable[[bytes], T], explain: Explain
) -> tuple[str, T]:
    """Return the id the path names, and the body's value; raises InvalidRequest."""
    try:
        value = decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        refuse(call, field, body, explain, str(error))
    name, problems = read_id(call, field)
    if problems or call.query:
        refuse(call, field, body, explain)
    return name, value


def refuse(
    call: Call, field: str, body: bytes, explain: Explain, otherwise: str = "is not valid"
) -> NoReturn:
    """Raise what names every problem of the request."""
    _, problems = read_id(call, field)
    _, others = read_query(call.query, {})
    problems += others + explain(body)
    raise InvalidRequest(problems or [FieldProblem("body", otherwise)])
