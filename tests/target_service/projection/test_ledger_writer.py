"""What a service with a ledger answers, in both modes."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import httpx
import pytest
from durable_service import TIMEOUT_SECONDS, Durable, eventually
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leaderboard_client import HOME, PARTITIONS, event, key_of, path
from ledger_model import LedgerModel

OTHER = ("apac", "squad", "s1")
NAMES = count()


def _problem(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"]


def test_an_event_sent_again_is_a_duplicate(durable: Durable) -> None:
    """The same id with the same contents changes nothing and is no error."""
    sent = [durable.submit("dup", 5, event_id="dup-1", sequence=3) for _ in range(3)]

    assert [(200, s) for s in ("applied", "duplicate", "duplicate")] == [
        (answer.status_code, answer.json()["status"]) for answer in sent
    ]


@pytest.mark.parametrize(
    "other", [{"score": 6}, {"sequence": 4}, {"player_id": "else"}, {"region": "apac"}]
)
def test_an_id_used_for_something_else_is_a_409(durable: Durable, other: dict[str, Any]) -> None:
    """Whatever differs, the first event stays."""
    body = event("used", 5) | {"event_id": "used-1", "sequence": 3}
    durable.http.post("/v1/scores", json=body)

    refused = durable.http.post("/v1/scores", json=body | other)

    assert (409, "urn:hotboard:problem:event-conflict") == _problem(refused)
    assert durable.redis.zscore(durable.key(), "used") == 5


def test_a_player_has_one_home_partition(durable: Durable) -> None:
    """Another partition of the season is a 409, in naive mode too."""
    durable.submit("homely", 5)

    refused = durable.submit("homely", 9, OTHER)

    assert (409, "urn:hotboard:problem:other-partition") == _problem(refused)


def test_sequences_decide_and_stay_decided(durable: Durable) -> None:
    """Equal or lower is stale, also when sent again; the first applies; players are apart."""
    told = [
        durable.submit(player, score, sequence=sequence, event_id=f"seq-{n}").json()["status"]
        for n, player, score, sequence in [
            (1, "seq-ann", 500, 10),
            (2, "seq-ann", 400, 9),
            (2, "seq-ann", 400, 9),
            (3, "seq-ann", 450, 10),
            (4, "seq-bob", 300, 1),
            (5, "seq-ann", 600, 11),
            (1, "seq-ann", 500, 10),
        ]
    ]

    assert ["applied", "stale", "stale", "stale", "applied", "applied", "duplicate"] == told
    assert [600, 300] == durable.redis.zmscore(durable.key(), ["seq-ann", "seq-bob"])


def test_a_batch_tells_what_did_not_apply(durable: Durable) -> None:
    """By index, under what became of it; a player named twice keeps the later score."""
    durable.submit("b-away", 1, OTHER)
    durable.submit("b-old", 1, sequence=5, event_id="b-first")
    columns: dict[str, list[str | int]] = {
        "event_id": ["b-1", "b-2", "b-first", "b-first", "b-3", "b-4", "b-5"],
        "player_id": ["b-x", "b-old", "b-old", "b-old", "b-away", "b-x", "b-y"],
        "score": [10, 2, 1, 9, 7, 11, 12],
        "sequence": [1, 5, 5, 5, 1, 2, 1],
    }

    answer = durable.batch(columns)

    assert answer.status_code == 200
    assert answer.json() == {
        "counts": {"applied": 3, "duplicate": 1, "stale": 1, "conflict": 2},
        "not_applied": {"duplicate": [2], "stale": [1], "conflict": [3, 4]},
    }
    assert [11, 12, 1] == durable.redis.zmscore(durable.key(), ["b-x", "b-y", "b-old"])


def test_a_large_batch_is_one_hit_and_all_its_members(durable: Durable) -> None:
    """The script writes in slices and counts as what it is: one call."""
    key = durable.key()
    names = [
        ("leaderboard_key_ops_total", key, "write"),
        ("leaderboard_key_members_written_total", key),
        ("leaderboard_redis_commands_total", "evalsha"),
        ("leaderboard_redis_commands_total", "zadd"),
        ("leaderboard_writes_total", "applied"),
    ]
    before = [durable.sample(*name) for name in names]

    durable.load({f"large-{n:04d}": n for n in range(5_000)})

    grown = [durable.sample(*name) - old for name, old in zip(names, before, strict=True)]
    assert grown == [1, 5_000, 1, 5, 5_000]


def test_every_status_is_counted(durable: Durable) -> None:
    """One event each; what is refused for its home counts as a conflict."""
    statuses = ("applied", "duplicate", "stale", "conflict", "durable-only")
    before = [durable.sample("leaderboard_writes_total", status) for status in statuses]

    for score in (1, 1, 2):
        durable.submit("counted", score, event_id="counted-1", sequence=1)
    durable.submit("counted", 3, sequence=1)
    durable.submit("counted", 4, OTHER)

    after = [durable.sample("leaderboard_writes_total", status) for status in statuses]
    assert [1, 1, 1, 2, 0] == [new - old for new, old in zip(after, before, strict=True)]


def test_commits_are_timed_and_the_series_are_there(durable: Durable) -> None:
    """The ledger has a time series of its own; nothing waits on a healthy service."""
    before = durable.sample("leaderboard_ledger_commit_duration_seconds_count")

    durable.submit("timed", 1)

    assert durable.sample("leaderboard_ledger_commit_duration_seconds_count") == before + 1
    assert durable.sample("leaderboard_info", "sqlite", durable.mode, "0.1.0") == 1
    for name in ("backlog", "replayed_total", "oldest_timestamp_seconds"):
        assert (f"leaderboard_projection_{name}",) in durable.leaderboard.samples()


def test_describe_tells_what_the_ledger_adds(durable: Durable) -> None:
    """All that is kept in it; and how long an id is known."""
    told = durable.http.get("/v1/boards").json()

    added = {name for name, offered in told["capabilities"].items() if offered}
    assert added == {
        *("event_dedupe", "sequences", "home_partition", "versions", "community_events"),
        *("achievements", "bounded_rank"),
    }
    assert (told["ledger"], told["ledger_sync"]) == ("sqlite", "full")
    assert told["limits"]["event_ids_kept_seconds"] == 86_400
    assert durable.http.get("/readyz").status_code == 200


def test_ids_are_compared_in_nfc(durable: Durable) -> None:
    """Two spellings of one id are one id."""
    told = [
        durable.submit("nfc", 1, event_id=event_id).json()["status"]
        for event_id in ("caf\u00e9", "cafe\u0301")
    ]

    assert told == ["applied", "duplicate"]


def test_a_missing_player_is_a_404_on_a_whole_board(durable: Durable) -> None:
    """The check behind the answer finds the board whole, so the player does not exist."""
    durable.submit("somebody", 1)

    answer = durable.http.get(path(HOME, "players", "nobody-at-all", "around"))

    assert (404, "urn:hotboard:problem:unknown-player") == _problem(answer)


STEPS = st.lists(
    st.tuples(
        st.integers(0, 7),
        st.integers(0, 2),
        st.sampled_from(PARTITIONS[:2]),
        st.integers(-3, 3),
        st.none() | st.integers(1, 4),
    ),
    min_size=1,
    max_size=25,
)


@given(steps=STEPS, in_batches=st.booleans())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_events_lead_where_the_rules_lead(
    durable: Durable, steps: list[Any], in_batches: bool
) -> None:
    """One by one or as columns: statuses, ledger and ranking equal a plain model's."""
    run = next(NAMES)
    model = LedgerModel()
    told, expected = [], []
    for number, player, partition, score, sequence in steps:
        event_id, name = f"m{run}-e{number}", f"m{run}-p{player}"
        expected.append(model.submit(event_id, name, key_of(partition), score, sequence))
        if in_batches and sequence is not None:
            columns = {"event_id": [event_id], "player_id": [name], "score": [score]}
            counts = durable.batch({**columns, "sequence": [sequence]}, partition).json()["counts"]
            told.append(next(status for status, times in counts.items() if times))
        else:
            fields = {} if sequence is None else {"sequence": sequence}
            answer = durable.submit(name, score, partition, event_id=event_id, **fields)
            told.append(answer.json()["status"] if answer.status_code == 200 else "conflict")

    assert expected == told
    for (board, name), score in model.scores().items():
        region, mode, season = board.split(":")[1:]
        key = durable.key((region, mode, season))
        assert durable.redis.zscore(key, name) == score
        assert durable.truth()[key][name] == score


def test_nothing_waits_in_the_end(durable: Durable) -> None:
    """What reached Redis with its own request is soon marked so in the ledger."""

    def waiting() -> int:
        connection = sqlite3.connect(f"file:{durable.ledger}?mode=ro", uri=True)
        (changes,) = connection.execute(
            "SELECT coalesce(sum(last - first + 1), 0) FROM unprojected"
        ).fetchone()
        connection.close()
        return int(changes)

    durable.submit("last", 1)

    assert eventually(lambda: waiting() == 0)
    assert durable.is_level()


def test_a_slow_commit_leaves_redis_its_time(shaky_durable: Durable) -> None:
    """A write that waited for the disk longer than Redis may take is applied all the same."""
    shaky_durable.submit("ann", 1)
    connection = sqlite3.connect(shaky_durable.ledger, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(2) as senders:
        one = senders.submit(shaky_durable.submit, "ann", 2)
        many = senders.submit(shaky_durable.load, {"bob": 3, "cid": 4})
        time.sleep(TIMEOUT_SECONDS + 1)
        was_waiting = not (one.done() or many.done())
        connection.execute("ROLLBACK")
    connection.close()

    assert was_waiting
    assert (200, "applied") == (one.result().status_code, one.result().json()["status"])
    assert 200 == many.result().status_code
