"""Reads while scores change: what one script reads belongs together."""

from concurrent.futures import Future, ThreadPoolExecutor

from leaderboard_client import HOME, PARTITIONS, Leaderboard, event, path, send_alone

ROUNDS = 150


def _rise(base_url: str) -> None:
    for score in range(1000, 1000 + ROUNDS):
        send_alone(base_url, "POST", "/v1/scores", event("champion", score))


def test_a_rising_leader_is_always_first(leaderboard: Leaderboard) -> None:
    """No read counts the leader's own newer score as somebody above."""
    base_url = str(leaderboard.http.base_url)
    for index, partition in enumerate(PARTITIONS):
        leaderboard.load({f"player-{index}-{n}": n for n in range(20)}, partition)
    leaderboard.submit("champion", 999)
    ranks, positions = set(), set()

    with ThreadPoolExecutor(1) as writer:
        rising: Future[None] = writer.submit(_rise, base_url)
        while not rising.done():
            answer = leaderboard.rank("champion")
            ranks.add(answer["rank"])
            positions.add(answer["board_position"])

    assert (ranks, positions) == ({1}, {1})


def test_an_around_page_always_holds_its_player(leaderboard: Leaderboard) -> None:
    """Place and page come from one script: the player stands where the answer says."""
    base_url = str(leaderboard.http.base_url)
    leaderboard.load({f"player-{n:03d}": 900 + n for n in range(200)}, HOME)
    leaderboard.submit("champion", 999)

    with ThreadPoolExecutor(1) as writer:
        rising: Future[None] = writer.submit(_rise, base_url)
        while not rising.done():
            answer = leaderboard.http.get(path(HOME, "players", "champion", "around")).json()
            own = [e for e in answer["entries"] if e["player"] == "champion"]
            assert [(answer["position"], answer["score"])] == [
                (entry["position"], entry["score"]) for entry in own
            ]
            assert len(answer["entries"]) == 5
