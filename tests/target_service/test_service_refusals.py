"""What every operation refuses, as problem documents, in both modes."""

import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from leaderboard_client import HOME, Leaderboard, path

PLAYER = path(HOME, "players", "ann")
EVENT: Mapping[str, Any] = {
    "event_id": "e-1",
    "player_id": "ann",
    "region": "eu",
    "mode": "solo",
    "season": "s1",
    "score": 1,
}
COLUMNS: Mapping[str, Any] = {"event_id": ["a", "b"], "player_id": ["ann", "bob"], "score": [1, 2]}
BAD_IDS = {
    "empty": "",
    "over-long": "x" * 65,
    "control character": "a\x00b",
    "newline": "a\n",
    "delete": "a\x7f",
    "C1 control": "a\x85",
    "slash": "a/b",
    "number": 5,
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


def _check(answer: httpx.Response, status: int, slug: str) -> list[str]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:hotboard:problem:{slug}"
    assert problem["status"] == status
    return [error["field"] for error in problem.get("errors", [])]


def _invalid(answer: httpx.Response) -> list[str]:
    return _check(answer, 422, "invalid-request")


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

    assert _invalid(alone) == [field]
    assert _invalid(column) == [f"{field}[1]"]
    assert leaderboard.redis.keys() == []


@pytest.mark.parametrize("sequence", [0, -1])
def test_a_sequence_starts_at_one(leaderboard: Leaderboard, sequence: int) -> None:
    """Zero and below are refused, although a score may be either."""
    answer = leaderboard.http.post("/v1/scores", json={**EVENT, "sequence": sequence})

    assert _invalid(answer) == ["sequence"]


@pytest.mark.parametrize("value", BAD_IDS.values(), ids=BAD_IDS)
@pytest.mark.parametrize("field", ["event_id", "player_id"])
def test_an_id_that_is_none(leaderboard: Leaderboard, field: str, value: object) -> None:
    """Each is refused by the name of its field, alone and in a column."""
    alone = leaderboard.http.post("/v1/scores", json={**EVENT, field: value})
    column = leaderboard.http.post(path(HOME, "scores"), json={**COLUMNS, field: ["ok", value]})

    assert _invalid(alone) == [field]
    assert _invalid(column) == [f"{field}[1]"]


def test_a_lone_surrogate_is_no_character(leaderboard: Leaderboard) -> None:
    """JSON can spell it, Unicode text cannot hold it, and no answer stumbles over it."""
    raw = '"a\\ud800"'

    assert _invalid(_post(leaderboard, _with(EVENT, "player_id", raw))) == ["player_id"]
    assert _invalid(_post(leaderboard, _with(EVENT, "region", raw))) == ["region"]
    unknown = json.dumps(EVENT)[:-1] + ', "\\ud800": 1}'
    assert _invalid(_post(leaderboard, unknown.encode())) == ["?"]


@pytest.mark.parametrize("value", ["", "EU", "e u", "x" * 33, "eu\n", "é", 1, None])
@pytest.mark.parametrize("field", ["region", "mode", "season"])
def test_a_malformed_name(leaderboard: Leaderboard, field: str, value: object) -> None:
    """A name that no board could have is bad input, not an unknown board."""
    answer = leaderboard.http.post("/v1/scores", json={**EVENT, field: value})

    assert _invalid(answer) == [field]


def test_every_bad_field_is_named_at_once(leaderboard: Leaderboard) -> None:
    """One answer is enough to correct everything."""
    body = {"event_id": "", "player_id": 1, "region": "EU", "score": True, "sequence": 0, "x": 1}

    named = _invalid(leaderboard.http.post("/v1/scores?y=1", json=body))

    places = ["region", "mode", "season"]
    assert named == ["y", "event_id", "player_id", *places, "score", "sequence", "x"]


def test_every_bad_value_of_a_batch_is_named_at_once(leaderboard: Leaderboard) -> None:
    """The path, the columns and the query are looked at together."""
    body = {"event_id": ["a", ""], "player_id": ["ann", "b/b"], "score": [1, 2.5], "x": []}

    named = _invalid(leaderboard.http.post("/v1/boards/EU/solo/s1/scores?y=1", json=body))

    assert named == ["region", "y", "event_id[1]", "player_id[1]", "score[1]", "x"]


def test_the_list_of_bad_values_is_bounded(leaderboard: Leaderboard) -> None:
    """5,000 bad values give a hundred sentences and one that says there are more."""
    body = {"event_id": [""] * 5000, "player_id": ["a"] * 5000, "score": [1] * 5000}

    named = _invalid(leaderboard.http.post(path(HOME, "scores"), json=body))

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

    assert sorted(columns) == sorted(_invalid(answer))
    assert leaderboard.redis.keys() == []


@pytest.mark.parametrize("length", [0, 5001])
def test_a_batch_of_no_events_or_too_many(leaderboard: Leaderboard, length: int) -> None:
    """A batch holds 1 to 5,000 events."""
    columns = {"event_id": ["e"] * length, "player_id": ["p"] * length, "score": [1] * length}

    answer = leaderboard.http.post(path(HOME, "scores"), json=columns)

    assert _invalid(answer) == ["event_id", "player_id", "score"]


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
    assert _invalid(leaderboard.http.post(where, content=body)) == ["body"]


@pytest.mark.parametrize(
    "value", ["0", "-1", "", "5.0", "1e1", "+5", " 5", "1_0", "five", "%D9%A5"]
)
def test_an_integer_parameter_that_is_none_or_out_of_range(
    leaderboard: Leaderboard, value: str
) -> None:
    """`k` and `window` are whole numbers in plain digits."""
    leaderboard.submit("ann", 1)

    for where, name, too_large in (
        ("/v1/top", "k", 1001),
        (path(HOME, "top"), "k", 1001),
        (PLAYER + "/around", "window", 51),
    ):
        for bad in (value, too_large):
            assert _invalid(leaderboard.http.get(f"{where}?{name}={bad}")) == [name]


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("k=1&k=2", ["k"]),
        ("k=1&k=1", ["k"]),
        ("K=1", ["K"]),
        ("k=1&x=2&y=3", ["x", "y"]),
        ("season=S1", ["season"]),
        ("k=0&season=&x", ["x", "k", "season"]),
        ("%ff=1", ["query"]),
        ("&".join("abc"[i % 3] + str(i) for i in range(200)), ["query"]),
    ],
)
def test_a_query_that_is_not_understood(
    leaderboard: Leaderboard, query: str, fields: list[str]
) -> None:
    """Unknown and repeated parameters are refused by name, never ignored."""
    assert fields == _invalid(leaderboard.http.get(f"/v1/top?{query}"))


@pytest.mark.parametrize("where", ["/v1/boards", PLAYER + "/rank", PLAYER + "/around"])
def test_unknown_parameters_are_refused_everywhere(leaderboard: Leaderboard, where: str) -> None:
    """A misspelt parameter must not silently do nothing."""
    assert _invalid(leaderboard.http.get(f"{where}?pretty=1")) == ["pretty"]


def test_bounded_rank_is_not_offered_yet(leaderboard: Leaderboard) -> None:
    """`exact` is the default and the only choice."""
    leaderboard.submit("ann", 1)

    assert leaderboard.http.get(f"{PLAYER}/rank?consistency=exact").status_code == 200
    assert _invalid(leaderboard.http.get(f"{PLAYER}/rank?consistency=bounded")) == ["consistency"]


@pytest.mark.parametrize("segment", ["", "a%2Fb", "%00", "%ff", "%ED%A0%80", "x" * 65, "a%0A"])
def test_a_malformed_player_in_a_path(leaderboard: Leaderboard, segment: str) -> None:
    """The id in a path follows the rules of the id in a body."""
    for what in ("around", "rank"):
        where = path(HOME, "players") + f"/{segment}/{what}"
        assert _invalid(leaderboard.http.get(where)) == ["player_id"]


def test_a_missing_player_is_never_ranked_first(leaderboard: Leaderboard) -> None:
    """404 on an empty board and on one with others."""
    for _ in range(2):
        for what in ("around", "rank"):
            _check(leaderboard.http.get(f"{PLAYER}/{what}"), 404, "unknown-player")
        leaderboard.submit("bob", 1)


@pytest.mark.parametrize(
    "place", [("xx", "solo", "s1"), ("eu", "trio", "s1"), ("eu", "solo", "s9")]
)
def test_an_unknown_board(leaderboard: Leaderboard, place: tuple[str, str, str]) -> None:
    """A well-formed name that is not configured is a 404 on every route, in naive mode too."""
    region, mode, season = place
    event = {**EVENT, "region": region, "mode": mode, "season": season}
    answers = [
        leaderboard.http.post("/v1/scores", json=event),
        leaderboard.http.post(path(place, "scores"), json=COLUMNS),
        leaderboard.http.get(path(place, "top")),
        leaderboard.http.get(path(place, "players", "ann", "around")),
        leaderboard.http.get(path(place, "players", "ann", "rank")),
    ]

    for answer in answers:
        _check(answer, 404, "unknown-board")


@pytest.mark.parametrize("where", ["/v1/top", "/v1/boards"])
def test_an_unknown_season(leaderboard: Leaderboard, where: str) -> None:
    """A season that is not active is a 404."""
    _check(leaderboard.http.get(f"{where}?season=s9"), 404, "unknown-board")


@pytest.mark.parametrize(
    "where", ["/", "/v1", "/v1/scores/", "/v1/boards/", "/v1/boards/eu/solo/s1", "/v1/tops", "//"]
)
def test_an_unknown_route(leaderboard: Leaderboard, where: str) -> None:
    """No route is guessed and none redirects."""
    _check(leaderboard.http.get(where), 404, "unknown-route")


@pytest.mark.parametrize(
    ("method", "where", "allowed"),
    [
        ("GET", "/v1/scores", "POST"),
        ("DELETE", path(HOME, "scores"), "POST"),
        ("POST", "/v1/top", "GET"),
        ("PUT", PLAYER + "/rank", "GET"),
        ("POST", "/v1/boards", "GET"),
        ("POST", "/healthz", "GET"),
        ("OPTIONS", "/metrics", "GET"),
    ],
)
def test_a_wrong_method(leaderboard: Leaderboard, method: str, where: str, allowed: str) -> None:
    """405 says which method the route takes."""
    answer = leaderboard.http.request(method, where)

    _check(answer, 405, "method-not-allowed")
    assert allowed == answer.headers["allow"]


@pytest.mark.parametrize("where", ["/v1/scores", path(HOME, "scores")])
@pytest.mark.parametrize("announced", [True, False])
def test_a_body_longer_than_any_valid_one(
    leaderboard: Leaderboard, where: str, announced: bool
) -> None:
    """413 whether the length was announced or found out on the way."""
    body = b" " * (8 * 1024 * 1024 + 1)
    content = body if announced else iter([body])

    _check(leaderboard.http.post(where, content=content), 413, "body-too-large")


def _post(leaderboard: Leaderboard, body: bytes) -> httpx.Response:
    return leaderboard.http.post("/v1/scores", content=body)
