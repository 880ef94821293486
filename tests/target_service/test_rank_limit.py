"""Exact ranks are limited: by turns, a short line, and a 429 that says when to come back."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaderboard_client import HOME, Leaderboard, path
from service_process import ServiceProcess
from valkey_process import ValkeyProcess

from target_service.http.problems import RankLimited
from target_service.leaderboard.ranks import BURST_SECONDS, LINE_SECONDS, RankLimit

DATABASE = 9
RANK = path(HOME, "players", "ann", "rank")


@dataclass
class Turns:
    """A limit whose clock the test moves."""

    per_second: float
    now: float = 0.0
    refused: int = 0
    given_at: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.limit = RankLimit(self.per_second, self._refuse, lambda: self.now)

    def ask(self) -> int | None:
        """Ask for a turn; the seconds to come back after when there is none."""
        try:
            self.given_at.append(self.now + self.limit.take())
        except RankLimited as refusal:
            return int(dict(refusal.headers)[b"retry-after"])
        return None

    def _refuse(self) -> None:
        self.refused += 1


def test_a_burst_then_a_line_then_a_refusal() -> None:
    """At 64 a second: eight at once, a quarter of a second's worth waits, the rest comes back."""
    turns = Turns(64)

    told = [turns.ask() for _ in range(200)]

    assert [0.0] * 8 + [waiting / 64 for waiting in range(1, 17)] == turns.given_at
    assert [None] * 24 + [1] * 176 == told
    assert turns.refused == 176


def test_who_comes_back_when_told_gets_a_turn() -> None:
    """One turn in two seconds: the second asker is told two, and then is served at once."""
    turns = Turns(0.5)

    assert [None, 2] == [turns.ask(), turns.ask()]
    turns.now = 2.0

    assert turns.ask() is None
    assert [0.0, 2.0] == turns.given_at


@given(
    per_second=st.floats(0.1, 10_000),
    gaps=st.lists(st.floats(0, 0.5), min_size=2, max_size=200),
)
def test_no_stretch_of_time_has_more_turns_than_it_may(
    per_second: float, gaps: list[float]
) -> None:
    """Between any two turns lies the time that those between them take, but for one burst."""
    turns = Turns(per_second)
    for gap in gaps:
        turns.now += gap
        turns.ask()
    given_at = turns.given_at
    burst = max(1.0, BURST_SECONDS * per_second)

    assert turns.refused + len(given_at) == len(gaps)
    for number, last in enumerate(given_at):
        for index, first in enumerate(given_at[: number + 1]):
            assert number - index + 1 <= (last - first) * per_second + burst + 1e-6 * per_second


@given(per_second=st.floats(0.1, 10_000), askers=st.integers(1, 300))
def test_the_line_is_bounded(per_second: float, askers: int) -> None:
    """However many ask at once, nobody waits longer than a quarter of a second."""
    turns = Turns(per_second)
    for _ in range(askers):
        turns.ask()

    assert turns.given_at == sorted(turns.given_at)
    assert turns.given_at[-1] <= LINE_SECONDS


@pytest.fixture(scope="module")
def limited(
    valkey: ValkeyProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Leaderboard]:
    """A service that computes one exact rank a second."""
    service = ServiceProcess(
        tmp_path_factory.mktemp("limited") / "service.log",
        HOTBOARD_MODE="partitioned",
        HOTBOARD_REDIS_URL=valkey.url(DATABASE),
        HOTBOARD_RANK_LIMIT="1",
    )
    service.start()
    with service.client() as http, valkey.client(DATABASE) as redis:
        yield Leaderboard("partitioned", http, redis)
    service.stop()


def test_a_storm_is_refused_with_a_problem_document(limited: Leaderboard) -> None:
    """429 with Retry-After, counted; the other routes answer as before."""
    limited.submit("ann", 5)
    before = limited.samples().get(("leaderboard_rank_rejected_total",), 0)

    began = time.monotonic()
    with ThreadPoolExecutor(8) as askers:
        answers = list(askers.map(lambda _: limited.http.get(RANK), range(40)))
    passed_seconds = time.monotonic() - began
    refused = [answer for answer in answers if answer.status_code == 429]

    # One that was saved up, and one for each second and its line.
    assert 40 - len(refused) <= 1 + passed_seconds + LINE_SECONDS
    assert refused
    assert {200, 429} >= {answer.status_code for answer in answers}
    for answer in refused:
        assert answer.headers["retry-after"] == "1"
        assert answer.json()["type"] == "urn:hotboard:problem:rank-limited"
    rejected = limited.samples()[("leaderboard_rank_rejected_total",)] - before
    assert rejected == len(refused)
    assert limited.submit("ann", 6).json() == {"status": "applied"}
    assert limited.around("ann", 1)["score"] == 6


def test_a_wrong_question_takes_no_turn(limited: Leaderboard) -> None:
    """What cannot be answered is refused for its own reason, whatever the line."""
    wrong = [limited.http.get(RANK, params={"consistency": "never"}) for _ in range(10)]

    assert {422} == {answer.status_code for answer in wrong}


def test_the_limit_is_told(limited: Leaderboard) -> None:
    """Clients need not find out by being refused."""
    assert limited.http.get("/v1/boards").json()["limits"]["exact_ranks_per_second"] == 1
