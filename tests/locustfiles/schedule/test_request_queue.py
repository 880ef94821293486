from collections import defaultdict
from contextlib import suppress

from gevent.exceptions import LoopExit
from hypothesis import given, settings
from hypothesis import strategies as st

from locustfiles.schedule.arrival import Arrival
from locustfiles.schedule.request_queue import PerPlayerOrder, RequestQueue

LIMIT = 4
DEADLINE_US = 10

# What happens: a player's request falls due, a connection takes the next, an answer comes, time.
steps = st.lists(
    st.one_of(
        st.tuples(st.just("due"), st.integers(0, 2)),
        st.tuples(st.just("take"), st.just(0)),
        st.tuples(st.just("answer"), st.integers(0, 5)),
        st.tuples(st.just("pass"), st.integers(1, 8)),
    ),
    max_size=60,
)


class Truth:
    """The queue under test, and what is known of every request."""

    def __init__(self, *, in_order: bool) -> None:
        self.now_us = 0
        self.joined: list[Arrival] = []
        self.taken: list[Arrival] = []
        self.in_flight: list[Arrival] = []
        self.dropped: list[Arrival] = []
        order = PerPlayerOrder() if in_order else None
        self.queue = RequestQueue(LIMIT, self.has_expired, self.dropped.append, order)

    def has_expired(self, arrival: Arrival) -> bool:
        """Whether a request has waited too long."""
        return self.now_us - arrival.intended_us > DEADLINE_US

    def waiting(self) -> int:
        """How many requests have neither been taken nor dropped."""
        return len(self.joined) - len(self.taken) - len(self.dropped)

    def due(self, player: int) -> None:
        """A request falls due."""
        arrival = Arrival(len(self.joined), self.now_us, player, 0)
        self.joined.append(arrival)
        self.queue.put(arrival)

    def take(self) -> None:
        """A free connection asks for the next one, and waits if there is none."""
        with suppress(LoopExit):
            arrival = self.queue.get()
            assert not self.has_expired(arrival)
            self.taken.append(arrival)
            self.in_flight.append(arrival)

    def answer(self, which: int) -> None:
        """One of the answers on their way arrives."""
        if self.in_flight:
            self.queue.finish(self.in_flight.pop(which % len(self.in_flight)))

    def play(self, step: str, value: int) -> None:
        """Let one thing happen."""
        match step:
            case "due":
                self.due(value)
            case "take":
                self.take()
            case "answer":
                self.answer(value)
            case _:
                self.now_us += value


@settings(deadline=None)
@given(steps, st.booleans())
def test_every_request_is_taken_or_dropped_once(
    happened: list[tuple[str, int]], in_order: bool
) -> None:
    """The queue never grows past its limit, and closing it leaves no request behind."""
    truth = Truth(in_order=in_order)
    for step, value in happened:
        truth.play(step, value)

        assert truth.waiting() <= LIMIT
    truth.queue.close()
    while truth.in_flight:
        truth.answer(0)
    truth.take()

    assert sorted(truth.joined) == sorted(truth.taken + truth.dropped)


@settings(deadline=None)
@given(steps)
def test_a_players_requests_go_one_after_the_other(happened: list[tuple[str, int]]) -> None:
    """With a per-player order, no player has two requests on their way, and they go in order."""
    truth = Truth(in_order=True)
    for step, value in happened:
        truth.play(step, value)
        players = [arrival.player for arrival in truth.in_flight]

        assert len(set(players)) == len(players)
    by_player: dict[int, list[int]] = defaultdict(list)
    for arrival in truth.taken:
        by_player[arrival.player].append(arrival.number)

    assert all(sorted(numbers) == numbers for numbers in by_player.values())


@settings(deadline=None)
@given(steps)
def test_without_an_order_it_is_first_in_first_out(happened: list[tuple[str, int]]) -> None:
    """Requests are taken in the order in which they fell due."""
    truth = Truth(in_order=False)
    for step, value in happened:
        truth.play(step, value)

    assert sorted(truth.taken) == truth.taken


def test_a_busy_player_does_not_block_others() -> None:
    """Other players pass while its next request is parked; that goes when the answer is there."""
    truth = Truth(in_order=True)
    for player in (1, 1, 2):
        truth.due(player)
    truth.take()
    truth.take()

    assert [(0, 1), (2, 2)] == [(one.number, one.player) for one in truth.in_flight]
    truth.answer(0)
    truth.take()
    assert 1 == truth.taken[-1].number


def test_a_request_out_of_order_does_not_wait() -> None:
    """It goes while its player's request is on the way, and its answer releases no other."""
    truth = Truth(in_order=True)
    truth.due(1)
    truth.joined.append(Arrival(1, 0, 1, 0, in_order=False))
    truth.queue.put(truth.joined[-1])
    truth.due(1)
    truth.take()
    truth.take()
    assert [0, 1] == [one.number for one in truth.in_flight]

    truth.answer(1)
    truth.take()
    assert [0] == [one.number for one in truth.in_flight]

    truth.answer(0)
    truth.take()
    assert [2] == [one.number for one in truth.in_flight]


def test_a_full_queue_first_drops_what_waited_too_long() -> None:
    """A newcomer gets the place of one that could not be sent any more."""
    truth = Truth(in_order=False)
    for player in range(LIMIT):
        truth.due(player)
    truth.due(9)
    truth.now_us = DEADLINE_US + 1
    truth.due(8)

    assert [LIMIT, *range(LIMIT)] == [arrival.number for arrival in truth.dropped]
    truth.take()
    assert 8 == truth.taken[0].player
