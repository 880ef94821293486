"""The rules of fields: what they accept, and the sentences for what they refuse."""

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from service_process import ROOT

from target_service import __version__
from target_service.http.fast_route import Parameters
from target_service.http.fields import (
    ID_RULE,
    BadFields,
    Id,
    JsonReader,
    K,
    NotAnInteger,
    read_leniently,
)
from target_service.http.problems import FieldProblem
from target_service.leaderboard.scores import ScoreColumns, ScoreEvent

GOOD = {"event_id": "e", "player_id": "p", "region": "eu", "mode": "solo", "season": "s1"}
LARGEST = 2**53 - 1
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
_id = TypeAdapter(Id)


async def _query(k: K = 10) -> None: ...


def _is_id(text: object) -> bool:
    """The rule of ids, read from the Unicode database."""
    if not isinstance(text, str):
        return False
    composed = unicodedata.normalize("NFC", text)
    is_sound = all(unicodedata.category(c) not in {"Cc", "Cs"} and c != "/" for c in composed)
    return is_sound and 1 <= len(composed) <= 64


def _is_name(text: object) -> bool:
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    return isinstance(text, str) and 1 <= len(text) <= 32 and set(text) <= allowed


def _is_number(value: object, low: int) -> bool:
    return type(value) is int and low <= value <= LARGEST


@given(st.text(st.characters()))
@example("\u0958" * 40)
@example("\ud800")
@example("e\u0301")
def test_an_id_follows_the_rule_and_is_normalised(text: str) -> None:
    """Whatever its length before normalisation: U+0958 becomes longer by it."""
    if _is_id(text):
        assert unicodedata.normalize("NFC", text) == _id.validate_python(text)
    else:
        with pytest.raises(ValidationError) as refused:
            _id.validate_python(text)
        assert [ID_RULE] == [error["msg"] for error in refused.value.errors()]


@given(st.dictionaries(st.sampled_from([*GOOD, "score", "sequence", "x"]), values))
@example({"event_id": 5.0})
@example({"player_id": float("nan")})
@example({"sequence": None})
@example({"sequence": 0})
def test_an_event_is_refused_by_exactly_its_bad_fields(fields: dict[str, Any]) -> None:
    """Every field that breaks its rule is named, and no other one."""
    given_fields = {**GOOD, "score": 1, **fields}
    bad = {name for name in ("event_id", "player_id") if not _is_id(given_fields[name])}
    bad |= {name for name in ("region", "mode", "season") if not _is_name(given_fields[name])}
    bad |= set() if _is_number(given_fields["score"], -LARGEST) else {"score"}
    bad |= set() if _is_number(given_fields.get("sequence", 1), 1) else {"sequence"}
    bad |= {"x"} & given_fields.keys()

    named = set()
    try:
        JsonReader(ScoreEvent).read(json.dumps(given_fields).encode())
    except BadFields as error:
        named = {problem.field for problem in error.problems}

    assert bad == named


@given(st.binary(max_size=40))
def test_bytes_that_are_no_batch_are_explained(body: bytes) -> None:
    """Whatever arrives instead of JSON gets a sentence."""
    with pytest.raises(BadFields, match=r"."):
        JsonReader(ScoreColumns).read(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"NaN", NotAnInteger("NaN")),
        (b"-Infinity", NotAnInteger("-Infinity")),
        (b"1e400", NotAnInteger("1e400")),
        (b"5.0", NotAnInteger("5.0")),
        (b"12", 12),
        (b"1" * 30, NotAnInteger("1" * 30)),
    ],
)
def test_numbers_that_are_no_integers_are_kept_apart(body: bytes, value: object) -> None:
    """So that no rule takes them for an integer, or for a text."""
    assert value == read_leniently(body)


@given(st.text("k=w0123456789&%+-. ", max_size=12))
@example("k=1000")
@example("k=1001")
def test_a_plain_query_is_read_like_any_other(query: str) -> None:
    """The short cut of `k=number` agrees with the careful reader, which an empty part reaches."""
    parameters = Parameters(_query, (), set())

    short = parameters.read({}, query.encode())

    assert parameters.read({}, query.encode() + b"&") == short


def test_a_parameter_that_is_not_given_has_its_default() -> None:
    """And one that is given its value."""
    parameters = Parameters(_query, (), set())

    assert ({"k": 10}, []) == parameters.read({}, b"")
    assert ({"k": 7}, []) == parameters.read({}, b"k=7")
    assert (
        {},
        [FieldProblem("k", "must be an integer from 1 to 1000")],
    ) == parameters.read({}, b"k=0")


def test_the_version_is_the_projects() -> None:
    """The service tells the version that the project file names."""
    project = (ROOT / "pyproject.toml").read_text()

    assert f'version = "{__version__}"' in project
