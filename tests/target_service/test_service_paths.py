"""Paths, queries and methods that are refused, as problem documents."""

import pytest
from leaderboard_client import HOME, Leaderboard, path
from problem_checks import COLUMNS, EVENT, check, invalid

PLAYER = path(HOME, "players", "ann")


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
            assert invalid(leaderboard.http.get(f"{where}?{name}={bad}")) == [name]


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
    assert fields == invalid(leaderboard.http.get(f"/v1/top?{query}"))


@pytest.mark.parametrize("where", ["/v1/boards", PLAYER + "/rank", PLAYER + "/around"])
def test_unknown_parameters_are_refused_everywhere(leaderboard: Leaderboard, where: str) -> None:
    """A misspelt parameter must not silently do nothing."""
    assert invalid(leaderboard.http.get(f"{where}?pretty=1")) == ["pretty"]


def test_bounded_rank_is_not_offered_yet(leaderboard: Leaderboard) -> None:
    """`exact` is the default and the only choice."""
    leaderboard.submit("ann", 1)

    assert leaderboard.http.get(f"{PLAYER}/rank?consistency=exact").status_code == 200
    assert invalid(leaderboard.http.get(f"{PLAYER}/rank?consistency=bounded")) == ["consistency"]


@pytest.mark.parametrize("segment", ["", "a%2Fb", "%00", "%ff", "%ED%A0%80", "x" * 65, "a%0A"])
def test_a_malformed_player_in_a_path(leaderboard: Leaderboard, segment: str) -> None:
    """The id in a path follows the rules of the id in a body."""
    for what in ("around", "rank"):
        where = path(HOME, "players") + f"/{segment}/{what}"
        assert invalid(leaderboard.http.get(where)) == ["player_id"]


def test_a_missing_player_is_never_ranked_first(leaderboard: Leaderboard) -> None:
    """404 on an empty board and on one with others."""
    for _ in range(2):
        for what in ("around", "rank"):
            check(leaderboard.http.get(f"{PLAYER}/{what}"), 404, "unknown-player")
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
        check(answer, 404, "unknown-board")


@pytest.mark.parametrize("where", ["/v1/top", "/v1/boards"])
def test_an_unknown_season(leaderboard: Leaderboard, where: str) -> None:
    """A season that is not active is a 404."""
    check(leaderboard.http.get(f"{where}?season=s9"), 404, "unknown-board")


@pytest.mark.parametrize(
    "where", ["/", "/v1", "/v1/scores/", "/v1/boards/", "/v1/boards/eu/solo/s1", "/v1/tops", "//"]
)
def test_an_unknown_route(leaderboard: Leaderboard, where: str) -> None:
    """No route is guessed and none redirects."""
    check(leaderboard.http.get(where), 404, "unknown-route")


@pytest.mark.parametrize(
    ("method", "where", "allowed"),
    [
        ("GET", "/v1/scores", "POST"),
        ("DELETE", path(HOME, "scores"), "POST"),
        ("POST", "/v1/top", "GET, HEAD"),
        ("PUT", PLAYER + "/rank", "GET, HEAD"),
        ("POST", "/v1/boards", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("OPTIONS", "/metrics", "GET, HEAD"),
    ],
)
def test_a_wrong_method(leaderboard: Leaderboard, method: str, where: str, allowed: str) -> None:
    """405 says which method the route takes."""
    answer = leaderboard.http.request(method, where)

    check(answer, 405, "method-not-allowed")
    assert allowed == answer.headers["allow"]


@pytest.mark.parametrize(
    "where",
    [
        *("/v1/top", path(HOME, "top"), PLAYER + "/around", PLAYER + "/rank", "/v1/boards"),
        *("/healthz", "/readyz", "/openapi.json", "/docs"),
    ],
)
def test_head_answers_as_get_does_and_sends_nothing(leaderboard: Leaderboard, where: str) -> None:
    """The same status, type and length of every GET route, as probes ask for them."""
    leaderboard.submit("ann", 1)
    whole, head = leaderboard.http.get(where), leaderboard.http.head(where)

    assert (200, 200, b"") == (whole.status_code, head.status_code, head.content)
    for name in ("content-type", "content-length"):
        assert whole.headers[name] == head.headers[name]
    assert leaderboard.http.head("/metrics").status_code == 200
    assert leaderboard.http.head(PLAYER + "/nothing").status_code == 404
