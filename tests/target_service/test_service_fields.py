"""The fast checks against the careful ones."""

import json
import unicodedata

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from service_process import ROOT

from target_service import __version__
from target_service.leaderboard.events import ScoreColumns, ScoreEvent
from target_service.leaderboard.explain import explain_columns, explain_event
from target_service.leaderboard.fields import are_ids, check_id, is_id, normalised
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.lenient_json import NotAnInteger, read_leniently
from target_service.query import IntegerParameter, read_query

GOOD = {"event_id": "e", "player_id": "p", "region": "eu", "mode": "solo", "season": "s1"}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
ids = st.text(min_size=1, max_size=70) | st.text("ab/\x00é ", max_size=70)


def _by_the_rule(text: str) -> bool:
    """The rule of ids, read from the Unicode database."""
    composed = unicodedata.normalize("NFC", text)
    is_sound = all(unicodedata.category(c) not in {"Cc", "Cs"} and c != "/" for c in composed)
    return is_sound and 1 <= len(composed) <= 64


@given(st.text(st.characters()))
@example("\u0958" * 40)
@example("\ud800")
def test_an_id_follows_the_rule(text: str) -> None:
    """Whatever its length before normalisation: U+0958 becomes longer by it."""
    assert _by_the_rule(text) == is_id(normalised(text)) == (check_id(text) is None)


@given(st.lists(ids, min_size=1, max_size=5))
def test_many_ids_at_once_are_judged_like_each_alone(texts: list[str]) -> None:
    """The quick look at a whole column lets nothing through and stops nothing good."""
    assert are_ids(texts) == all(map(is_id, texts))


@given(st.dictionaries(st.sampled_from([*GOOD, "score", "sequence", "x"]), values))
@example({"event_id": 5.0})
@example({"player_id": float("nan")})
def test_what_the_decoder_refuses_is_explained(fields: dict[str, object]) -> None:
    """No event is refused without a sentence, and none is accepted with one."""
    body = json.dumps({**GOOD, "score": 1, **fields}).encode()
    try:
        event = msgspec.json.decode(body, type=ScoreEvent)
    except msgspec.DecodeError:
        assert explain_event(body)
    else:
        is_sound = is_id(normalised(event.event_id)) and is_id(normalised(event.player_id))
        named = {problem.field for problem in explain_event(body)}
        # Names and ids are checked after decoding; everything else by the decoder.
        assert named <= {"event_id", "player_id", "region", "mode", "season"}
        assert is_sound == (not named & {"event_id", "player_id"})


@given(st.binary(max_size=40))
def test_bytes_that_the_decoder_refuses_are_explained(body: bytes) -> None:
    """Whatever arrives instead of JSON gets a sentence."""
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(body, type=ScoreColumns)

    assert explain_columns(body)


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
    """So that no check takes them for an integer, or for a text."""
    assert value == read_leniently(body)


@given(st.text("k=w0123456789&%+-. ", max_size=12))
def test_the_plain_query_is_read_like_any_other(query: str) -> None:
    """The short cut of `k=number` agrees with the careful reader."""
    quick = IntegerQuery("k", IntegerParameter(1, 1000, default=10))

    number, _, problems = quick.read(query.encode())

    values, expected = read_query(query.encode(), quick.parameters)
    assert (values.get("k", 10), expected) == (number, problems)


def test_the_version_is_the_projects() -> None:
    """The service tells the version that the project file names."""
    project = (ROOT / "pyproject.toml").read_text()

    assert f'version = "{__version__}"' in project
