"""Bodies that are refused, as problem documents that name every bad field."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from leaderboard_client import HOME, Leaderboard, path
from problem_checks import COLUMNS, EVENT, check, invalid

BAD_IDS = {
    "empty": "",
    "over-long": "x" * 65,
    "control character": "a\x00b",
    "newline": "a\n",
    "delete": "a\x7f",
    "C1 control": "a\x85",
    "slash": "a/b",
    "number": 5,
    "float": 5.5,
    "null": None,
    "list": ["a"],
}
BAD_NUMBERS = {
    "NaN": "NaN",
    "infinity": "Infinity",
    "minus infinity": "-Infinity",
    "1e400": "1e400",
    "2^53": str(2**53),
    "minus 2^53": str(-(2**53)),
    "longer than any integer": "1" * 5000,
    "true": "true",
    "string": '"5"',
    "float": "1.5",
    "integral float": "5.0",
    "exponent": "1e2",
    "minus zero as a float": "-0.0",
    "null": "null",
    "object": "{}",
}


def _with(fields: Mapping[str, Any], name: str, raw: str) -> bytes:
    """A body in which one field holds raw text, JSON or not."""
    body = json.dumps({**fields, name: "RAW"})
    return body.replace('"RAW"', raw).encode()


@pytest.mark.parametrize("raw", BAD_NUMBERS.values(), ids=BAD_NUMBERS)
@pytest.mark.parametrize("field", ["score", "sequence"])
def test_a_number_that_is_no_integer_in_range(
    leaderboard: Leaderboard, field: str, raw: str
) -> None:
    """Each is refused by the name of its field, alone and in a column, and nothing is stored."""
    alone = leaderboard.http.post("/v1/scores", content=_with(EVENT, field, raw))
    column = leaderboard.http.post(
        path(HOME, "scores"), content=_with(COLUMNS, field, f"[1, {raw}]")
    )

    assert invalid(alone) == [field]
    assert invalid(column) == [f"{field}[1]"]
    assert leaderboard.redis.keys() == []


@pytest.mark.parametrize("sequence", [0, -1])
def test_a_sequence_starts_at_one(leaderboard: Leaderboard, sequence: int) -> None:
    """Zero and below are refused, although a score may be either."""
    answer = leaderboard.http.post("/v1/scores", json={**EVENT, "sequence": sequence})

    assert invalid(answer) == ["sequence"]


@pytest.mark.parametrize("value", BAD_IDS.values(), ids=BAD_IDS)
@pytest.mark.parametrize("field", ["event_id", "player_id"])
def test_an_id_that_is_none(leaderboard: Leaderboard, field: str, value: object) -> None:
    """Each is refused by the name of its field, alone and in a column."""
    alone = leaderboard.http.post("/v1/scores", json={**EVENT, field: value})
    column = leaderboard.http.post(path(HOME, "scores"), json={**COLUMNS, field: ["ok", value]})

    assert invalid(alone) == [field]
    assert invalid(column) == [f"{field}[1]"]


def test_a_lone_surrogate_is_no_character(leaderboard: Leaderboard) -> None:
    """JSON can spell it, Unicode text cannot hold it, and no answer stumbles over it."""
    raw = '"a\\ud800"'

    assert invalid(_post(leaderboard, _with(EVENT, "player_id", raw))) == ["player_id"]
    assert invalid(_post(leaderboard, _with(EVENT, "region", raw))) == ["region"]
    unknown = json.dumps(EVENT)[:-1] + ', "\\ud800": 1}'
    assert invalid(_post(leaderboard, unknown.encode())) == ["?"]


@pytest.mark.parametrize("value", ["", "EU", "e u", "x" * 33, "eu\n", "é", 1, None])
@pytest.mark.parametrize("field", ["region", "mode", "season"])
def test_a_malformed_name(leaderboard: Leaderboard, field: str, value: object) -> None:
    """A name that no board could have is bad input, not an unknown board."""
    answer = leaderboard.http.post("/v1/scores", json={**EVENT, field: value})

    assert invalid(answer) == [field]


def test_every_bad_field_is_named_at_once(leaderboard: Leaderboard) -> None:
    """One answer is enough to correct everything."""
    body = {"event_id": "", "player_id": 1, "region": "EU", "score": True, "sequence": 0, "x": 1}

    named = invalid(leaderboard.http.post("/v1/scores?y=1", json=body))

    places = ["region", "mode", "season"]
    assert named == ["y", "event_id", "player_id", *places, "score", "sequence", "x"]


def test_every_bad_value_of_a_batch_is_named_at_once(leaderboard: Leaderboard) -> None:
    """The path, the columns and the query are looked at together."""
    body = {"event_id": ["a", ""], "player_id": ["ann", "b/b"], "score": [1, 2.5], "x": []}

    named = invalid(leaderboard.http.post("/v1/boards/EU/solo/s1/scores?y=1", json=body))

    assert named == ["region", "y", "event_id[1]", "player_id[1]", "score[1]", "x"]


def test_the_list_of_bad_values_is_bounded(leaderboard: Leaderboard) -> None:
    """5,000 bad values give a hundred sentences and one that says there are more."""
    body = {"event_id": [""] * 5000, "player_id": ["a"] * 5000, "score": [1] * 5000}

    named = invalid(leaderboard.http.post(path(HOME, "scores"), json=body))

    assert (101, "body") == (len(named), named[-1])


@pytest.mark.parametrize(
    "columns",
    [
        {**COLUMNS, "score": [1]},
        {**COLUMNS, "score": [1, 2, 3]},
        {**COLUMNS, "sequence": [1]},
    ],
)
def test_uneven_columns(leaderboard: Leaderboard, columns: Mapping[str, Any]) -> None:
    """Columns of different lengths are refused by their names, as a whole."""
    answer = leaderboard.http.post(path(HOME, "scores"), json=columns)

    assert sorted(columns) == sorted(invalid(answer))
    assert leaderboard.redis.keys() == []


@pytest.mark.parametrize("length", [0, 5001])
def test_a_batch_of_no_events_or_too_many(leaderboard: Leaderboard, length: int) -> None:
    """A batch holds 1 to 5,000 events."""
    columns = {"event_id": ["e"] * length, "player_id": ["p"] * length, "score": [1] * length}

    answer = leaderboard.http.post(path(HOME, "scores"), json=columns)

    assert invalid(answer) == ["event_id", "player_id", "score"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"score=1",
        b"[]",
        b"5",
        b'"text"',
        b"null",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"score":' * 50_000,
        json.dumps(EVENT).encode("utf-16"),
        json.dumps(EVENT).encode() + b" {}",
        b'{"player_id": "\xff"}',
    ],
)
@pytest.mark.parametrize("where", ["/v1/scores", path(HOME, "scores")])
def test_a_body_that_is_no_json_object(leaderboard: Leaderboard, where: str, body: bytes) -> None:
    """The body itself is named."""
    assert invalid(leaderboard.http.post(where, content=body)) == ["body"]


@pytest.mark.parametrize("where", ["/v1/scores", path(HOME, "scores")])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_longer_than_any_valid_one(
    leaderboard: Leaderboard, where: str, announced: bool
) -> None:
    """413 whether the length was announced or found out on the way."""
    body = b" " * (8 * 1024 * 1024 + 1)
    content = body if announced else iter([body])

    check(leaderboard.http.post(where, content=content), 413, "body-too-large")


def _post(leaderboard: Leaderboard, body: bytes) -> httpx.Response:
    return leaderboard.http.post("/v1/scores", content=body)
