"""The bounded rank over HTTP: from the ledger alone, by every worker alike."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from durable_service import Durable, durable_service, eventually
from leaderboard_client import HOME, PARTITIONS, Json, Response, event, path, send_alone
from rank_history import Check, RankHistory, changes_of, last_change
from valkey_process import ValkeyProcess

PLAYERS = 600


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Durable]:
    """Two workers that share a ledger, with a few hundred players on twelve boards."""
    folder = tmp_path_factory.mktemp("counting")
    valkey = ValkeyProcess(folder)
    valkey.start()
    workers = {"HOTBOARD_WORKERS": "2", "PROMETHEUS_MULTIPROC_DIR": str(folder / "counts")}
    with durable_service(
        "partitioned", valkey, folder, **workers, HOTBOARD_RANK_LIMIT="1"
    ) as durable:
        for index, partition in enumerate(PARTITIONS):
            durable.load({f"p-{n}": n for n in range(index, PLAYERS, 12)}, partition)
        yield durable
    valkey.stop()


def bounded(durable: Durable, player: str, partition: tuple[str, str, str] = HOME) -> Response:
    """The bounded rank, over a connection of its own, which either worker may accept."""
    where = path(partition, "players", player, "rank") + "?consistency=bounded"
    return send_alone(str(durable.http.base_url), "GET", where)


def told(durable: Durable, player: int) -> Json:
    """The bounded rank of one of the players."""
    answer = bounded(durable, f"p-{player}", PARTITIONS[player % 12])
    assert answer.status == 200
    return answer.body


def told_exactly(durable: Durable, player: int) -> Json:
    """The bounded rank once it is exact: a worker that was held up is behind for a moment."""
    assert eventually(lambda: all(told(durable, player)["exact"] for _ in range(10)))
    return told(durable, player)


def test_without_writes_it_is_the_exact_one(counting: Durable) -> None:
    """Both workers say the same as the fan-out, without a key read."""
    told_exactly(counting, 17)
    before = counting.redis.info("commandstats").get("cmdstat_zcount")
    answers = [told(counting, 17) for _ in range(20)]

    assert counting.redis.info("commandstats").get("cmdstat_zcount") == before
    for answer in answers:
        assert answer | {"as_of": ""} == {
            "board": "lb:na-west:squad:s1",
            "player": "p-17",
            "score": 17,
            "rank": PLAYERS - 17,
            "keys_read": 0,
            "exact": True,
            "max_rank_error": 0,
            "as_of": "",
            "total": PLAYERS,
        }
    assert counting.leaderboard.rank("p-17", PARTITIONS[5])["rank"] == PLAYERS - 17


def test_it_has_no_limit(counting: Durable) -> None:
    """What costs Redis nothing needs no turn."""
    assert {told(counting, n % PLAYERS)["rank"] > 0 for n in range(100)} == {True}


def test_ties_share_a_rank(counting: Durable) -> None:
    """The next one's rank counts all of them."""
    for number in range(3):
        counting.submit(f"tied-{number}", 5_000, HOME)
    counting.submit("above", 5_001, HOME)
    ranks = [bounded(counting, name).body["rank"] for name in ("above", "tied-0", "tied-2")]

    assert ranks == [1, 2, 2]


def test_who_has_no_score_there_is_unknown(counting: Durable) -> None:
    """Nobody, and a player of another board, are a 404 for certain."""
    answers = [bounded(counting, "nobody"), bounded(counting, "p-0", PARTITIONS[1])]

    assert [answer.status for answer in answers] == [404, 404]
    assert {answer.body["type"] for answer in answers} == {"urn:hotboard:problem:unknown-player"}


def test_a_true_rank_is_within_the_bound_while_all_write(counting: Durable) -> None:
    """Writers and readers meet both workers; every answer was true at a moment of its call."""
    base_url = str(counting.http.base_url)
    over = threading.Event()
    rng = random.Random(7)

    def write(seed: int) -> None:
        own = random.Random(seed)
        while not over.is_set():
            player = own.randrange(PLAYERS)
            body = event(f"p-{player}", own.randrange(PLAYERS), PARTITIONS[player % 12])
            send_alone(base_url, "POST", "/v1/scores", body)

    def check(player: int) -> Check:
        before = last_change(counting.ledger)
        answer = told(counting, player)
        after = last_change(counting.ledger)
        assert answer["exact"] == (answer["max_rank_error"] == 0)
        told_numbers = (answer["score"], answer["rank"], answer["max_rank_error"])
        return Check(f"p-{player}", before, after, *told_numbers, answer["total"])

    with ThreadPoolExecutor(5) as pool:
        writers = [pool.submit(write, seed) for seed in range(3)]
        checks = list(pool.map(check, [rng.randrange(PLAYERS) for _ in range(300)]))
        over.set()
        for writer in writers:
            writer.result()

    history = RankHistory(changes_of(counting.ledger))
    assert history.outside(checks) == []
    assert sum(check.after > check.before for check in checks) > 30


def test_a_wrong_rank_would_have_been_found(counting: Durable) -> None:
    """The proof above can fail: one place beyond the bound is outside."""
    answer = told_exactly(counting, 3)
    number = last_change(counting.ledger)
    right = Check("p-3", number, number, answer["score"], answer["rank"], 0)

    history = RankHistory(changes_of(counting.ledger))
    assert history.outside([right, replace(right, rank=right.rank + 1)]) == [
        replace(right, rank=right.rank + 1)
    ]


def test_it_needs_no_redis(counting: Durable) -> None:
    """While the ranking is gone the ledger still knows who stands where."""
    told_exactly(counting, 3)
    counting.valkey.stop()
    gone = told(counting, 3)
    top = counting.http.get("/v1/top")
    counting.valkey.start()

    assert gone["max_rank_error"] == 0
    assert top.status_code == 503
    assert eventually(counting.is_level)


def test_in_naive_mode_it_is_found_on_the_one_board(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """As the exact one is: whatever partition the path names."""
    with durable_service("naive", own_valkey, tmp_path) as durable:
        durable.submit("ann", 5, HOME)
        durable.submit("bob", 7, PARTITIONS[0])
        answer = bounded(durable, "ann", PARTITIONS[0]).body
        exact = durable.leaderboard.rank("ann", PARTITIONS[0])

    shared = ("board", "player", "score", "rank", "exact", "max_rank_error")
    assert [answer[name] for name in shared] == [exact[name] for name in shared]
    assert (answer["rank"], answer["total"], answer["board"]) == (2, 2, "lb:global:all:s1")
