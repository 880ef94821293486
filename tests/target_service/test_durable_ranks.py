"""Ranks over several boards with versions: exact, or honest about how far they can be off."""

import threading
from concurrent.futures import ThreadPoolExecutor

from durable_service import Durable
from leaderboard_client import PARTITIONS, event, send_alone


def test_a_rank_over_still_boards_is_exact(durable: Durable) -> None:
    """Versions prove that nothing changed while the boards were read one after the other."""
    for index, partition in enumerate(PARTITIONS):
        durable.submit(f"rank-{index}", 1_000_000 + index % 2, partition)

    answer = durable.leaderboard.rank("rank-0", PARTITIONS[0])

    assert (answer["exact"], answer["max_rank_error"]) == (True, 0)
    assert answer["rank"] == 7
    assert answer["keys_read"] == (1 if durable.mode == "naive" else 12)


def test_a_rank_over_moving_boards_tells_how_far_it_can_be_off(durable: Durable) -> None:
    """The true rank lies within the error told, and some answers were not exact."""
    for partition in PARTITIONS:
        durable.load({f"moving-{'-'.join(partition)}-{n}": n for n in range(20)}, partition)
    durable.submit("moving", 2_000_000)
    over = threading.Event()

    def climb() -> None:
        for number in range(1, 200):
            if over.is_set():
                return
            where = PARTITIONS[number % 12]
            body = event(f"climber-{number}", 3_000_000 + number, where)
            send_alone(str(durable.http.base_url), "POST", "/v1/scores", body)

    lowest = durable.leaderboard.rank("moving")["rank"]
    with ThreadPoolExecutor(1) as pool:
        climbing = pool.submit(climb)
        try:
            answers = [durable.leaderboard.rank("moving") for _ in range(100)]
        finally:
            over.set()
        climbing.result()
    highest = durable.leaderboard.rank("moving")["rank"]

    for answer in answers:
        assert answer["exact"] == (answer["max_rank_error"] == 0)
        assert lowest <= answer["rank"] + answer["max_rank_error"]
        assert answer["rank"] - answer["max_rank_error"] <= highest
