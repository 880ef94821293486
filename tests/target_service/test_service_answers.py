"""What every operation answers, in both modes."""

import platform
import re
import resource

import pytest
import redis
from leaderboard_client import GLOBAL_KEY, HOME, PARTITIONS, Leaderboard, key_of, path

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def test_a_submitted_score_is_applied(leaderboard: Leaderboard) -> None:
    """The answer says so, and Redis holds the score on the mode's key."""
    answer = leaderboard.submit("ann", 42)

    assert (200, {"status": "applied"}) == (answer.status_code, answer.json())
    assert leaderboard.redis.zscore(leaderboard.board(HOME), "ann") == 42


def test_a_later_score_replaces_an_earlier_one(leaderboard: Leaderboard) -> None:
    """Without a sequence, arrival order decides, also downwards."""
    leaderboard.submit("ann", 42)
    leaderboard.submit("ann", 7)

    assert leaderboard.rank("ann")["score"] == 7


def test_a_batch_counts_its_events(leaderboard: Leaderboard) -> None:
    """Every event of a batch applies, and a player named twice keeps the later score."""
    columns = {
        "event_id": ["a", "b", "c"],
        "player_id": ["ann", "bob", "ann"],
        "score": [1, 2, 3],
        "sequence": [1, 2, 3],
    }

    answer = leaderboard.http.post(path(HOME, "scores"), json=columns)

    none: dict[str, list[int]] = {"duplicate": [], "stale": [], "conflict": []}
    assert answer.json() == {
        "counts": {"applied": 3, "duplicate": 0, "stale": 0, "conflict": 0},
        "not_applied": none,
    }
    assert leaderboard.rank("ann")["score"] == 3


def test_the_largest_batch_fits(leaderboard: Leaderboard) -> None:
    """5,000 events with ids of 64 escaped characters are one valid body."""
    ids = [f"{index:04d}" + "é" * 60 for index in range(5000)]
    body = {"event_id": ids, "player_id": ids, "score": [-(2**53 - 1)] * 5000}

    answer = leaderboard.http.post(path(HOME, "scores"), json=body)

    assert answer.json()["counts"]["applied"] == 5000
    assert leaderboard.redis.zcard(leaderboard.board(HOME)) == 5000


@pytest.mark.parametrize("score", [0, -1, 10**15, 5 * 10**15, 2**53 - 1, -(2**53 - 1)])
def test_scores_come_back_exactly(leaderboard: Leaderboard, score: int) -> None:
    """No score within 53 bits loses a digit on its way through Redis and Lua."""
    leaderboard.submit("ann", score)

    entry = leaderboard.around("ann", 1)["entries"][0]

    assert [score] * 4 == [
        leaderboard.rank("ann")["score"],
        leaderboard.top(1)["entries"][0]["score"],
        leaderboard.partition_top(1)["entries"][0]["score"],
        entry["score"],
    ]


def test_answers_name_the_board_they_ranked(leaderboard: Leaderboard) -> None:
    """The global key in naive mode, the partition's own otherwise; the global top is global."""
    leaderboard.submit("ann", 1)
    expected = leaderboard.board(HOME)

    assert [expected] * 3 == [
        leaderboard.partition_top(1)["board"],
        leaderboard.around("ann", 1)["board"],
        leaderboard.rank("ann")["board"],
    ]
    assert leaderboard.top(1)["board"] == GLOBAL_KEY


def test_the_top_says_what_it_is(leaderboard: Leaderboard) -> None:
    """Season, k and source stand beside the entries."""
    answer = leaderboard.http.get("/v1/top", params={"season": "s1"}).json()

    assert (answer["season"], answer["k"], answer["source"]) == ("s1", 10, "live")


def test_as_of_never_goes_backwards(leaderboard: Leaderboard) -> None:
    """Reads one after the other carry moments in order, in RFC 3339 with milliseconds."""
    leaderboard.submit("ann", 1)
    moments = [
        answer["as_of"]
        for _ in range(5)
        for answer in (leaderboard.top(3), leaderboard.rank("ann"), leaderboard.around("ann", 1))
    ]

    assert moments == sorted(moments)
    assert all(map(TIMESTAMP.fullmatch, moments))


def test_an_id_is_one_whatever_its_unicode_form(leaderboard: Leaderboard) -> None:
    """Ids are normalised before anything else: composed and decomposed are the same player."""
    leaderboard.submit("re\u0301mi", 5)
    leaderboard.submit("r\u00e9mi", 6)

    assert leaderboard.top(10)["entries"][0]["player"] == "r\u00e9mi"
    assert leaderboard.top(10)["candidates"] == 1
    assert leaderboard.rank("re\u0301mi")["player"] == "r\u00e9mi"


def test_an_id_counts_its_characters_after_normalisation(leaderboard: Leaderboard) -> None:
    """64 composed characters are fine even when they were sent as 128."""
    assert leaderboard.submit("e\u0301" * 64, 5).status_code == 200
    assert leaderboard.submit("e\u0301" * 65, 5).status_code == 422


def test_describe_lists_partitions_and_keys(leaderboard: Leaderboard) -> None:
    """Twelve partitions in product order, and the keys that serve them."""
    answer = leaderboard.http.get("/v1/boards").json()

    partitions = [key_of(partition) for partition in PARTITIONS]
    keys = [GLOBAL_KEY] if leaderboard.mode == "naive" else partitions
    boards = {key_of(partition): leaderboard.board(partition) for partition in PARTITIONS}
    assert (partitions, keys, boards) == (answer["partitions"], answer["keys"], answer["boards"])
    assert (leaderboard.mode, "none", "s1") == (answer["mode"], answer["ledger"], answer["season"])


def test_describe_tells_what_the_server_says(leaderboard: Leaderboard) -> None:
    """Name and versions come from the server that was asked, not from a list."""
    told = leaderboard.http.get("/v1/boards").json()["redis"]

    facts = leaderboard.redis.info("server")
    assert told == {
        "server": "valkey",
        "version": facts["valkey_version"],
        "redis_version": facts["redis_version"],
        "cluster": False,
        "redis_py": redis.__version__,
    }


def test_describe_tells_limits_and_capabilities(leaderboard: Leaderboard) -> None:
    """Clients learn what is accepted, and that nothing beyond ranking is offered."""
    answer = leaderboard.http.get("/v1/boards").json()

    assert set(answer["capabilities"].values()) == {False}
    assert answer["limits"] == {
        "k": [1, 1000],
        "window": [1, 50],
        "batch_events": 5000,
        "id_characters": 64,
        "score": [-(2**53 - 1), 2**53 - 1],
        "sequence": [1, 2**53 - 1],
        "body_bytes": 8 * 1024 * 1024,
        "event_ids_kept_seconds": None,
        "exact_ranks_per_second": 100_000,
    }
    assert (answer["ledger"], answer["ledger_sync"]) == ("none", None)
    assert answer["service"]["python"] == platform.python_version()
    assert answer["service"]["workers"] == 1
    assert answer["service"]["open_files"] == resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def test_the_service_tells_that_it_is_well(leaderboard: Leaderboard) -> None:
    """Alive, and ready because Redis answers."""
    health = [leaderboard.http.get(where).json() for where in ("/healthz", "/readyz")]

    assert health == [{"status": "alive"}, {"status": "ready"}]
