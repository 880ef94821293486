"""event_v1, event_v2, event_player and races: the load on a community event."""

import time
from collections import OrderedDict, defaultdict, deque
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple
from urllib.parse import quote

import msgspec

from locustfiles.event_client import ServiceTrouble, event_path, read_state
from locustfiles.http.dialer import Address
from locustfiles.operations.contract import OK, Reply, failure_of, read_answer
from locustfiles.operations.places import Places
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival
from locustfiles.schedule.clock import MICROSECONDS, timestamp

MOST_MILES: Final = 30
OUTCOMES: Final = ("counted", "duplicate", "conflict", "outside", "late")
# More requests than this are never in flight at once; a failed one leaves its entry behind.
_MOST_IN_FLIGHT: Final = 20_000
# One race in so many was finished long before it is delivered, by up to this part of the run.
_STRAGGLER_EVERY: Final = 50
_LONGEST_DELAY: Final = Fraction(1, 4)
_REMEMBERED_RACES: Final = 1_000


class AcknowledgedMiles:
    """The miles that the service acknowledged, by player and in total.

    A read that is sent later must find at least as many, or it is behind. One process sends all
    arrivals of a player, so what it knows is enough.
    """

    def __init__(self) -> None:
        self._total = 0
        self._by_player: dict[int, int] = defaultdict(int)
        # By operation too: each numbers its own arrivals.
        self._expected: OrderedDict[tuple[str, int], int] = OrderedDict()

    def add(self, player: int, miles: int) -> None:
        """Add miles of a player that the service says it counted."""
        self._by_player[player] += miles

    def raise_total(self, miles: int) -> None:
        """Remember the greatest total that a poll read."""
        self._total = max(self._total, miles)

    def expect_player(self, operation: str, number: int, player: int) -> None:
        """Remember the player's miles now, as a request about that player is sent."""
        self._expect(operation, number, self._by_player.get(player, 0))

    def expect_total(self, operation: str, number: int) -> None:
        """Remember the total now, as a poll is sent."""
        self._expect(operation, number, self._total)

    def least_expected(self, operation: str, number: int) -> int:
        """The miles that were acknowledged before that request was sent."""
        return self._expected.pop((operation, number), 0)

    def _expect(self, operation: str, number: int, miles: int) -> None:
        self._expected[operation, number] = miles
        if len(self._expected) > _MOST_IN_FLIGHT:
            self._expected.popitem(last=False)


class EventPoll:
    """Polls the community total as a client of one version does, and notes how old it is.

    The answer is read by the client that ships (`event_client.py`). The age is taken by this
    machine's clock, so it contains the difference to the service's clock on another machine. A
    final total does not change and has no age. A total below one that was read before the poll
    was sent is `behind`.
    """

    def __init__(
        self,
        version: int,
        plan: Plan,
        address: Address,
        acknowledged: AcknowledgedMiles | None = None,
    ) -> None:
        self._acknowledged = acknowledged or AcknowledgedMiles()
        self.name = f"event_v{version}"
        self._version = version
        self._event_id = plan.run_id
        path = event_path(version, quote(plan.run_id, safe=""))
        head = f"GET {address.path}{path} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"
        self._request = head.encode("ascii")

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the event."""
        self._acknowledged.expect_total(self.name, arrival.number)
        return self._request

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is the state of the requested event in the requested version."""
        at_least = self._acknowledged.least_expected(self.name, arrival.number)
        if status != OK:
            return Reply(failure_of(status, body))
        now = time.time()
        try:
            state = read_state(self._version, body)
        except ServiceTrouble:
            return Reply("bad_body")
        if state.event_id != self._event_id:
            return Reply("bad_body")
        self._acknowledged.raise_total(state.total)
        status_name = "behind" if state.total < at_least else state.state
        if state.is_final:
            return Reply(None, status_name)
        age_us = round((now - state.as_of.timestamp()) * MICROSECONDS)
        return Reply(None, status_name, age_us=max(age_us, 0))


class _EventPlayerAnswer(msgspec.Struct):
    player: str
    joined: bool
    contribution: int
    eligible: bool


_event_player_decoder = msgspec.json.Decoder(_EventPlayerAnswer)


class EventPlayer:
    """Reads what a player has contributed; every acknowledged mile must be in it."""

    name = "event_player"

    def __init__(
        self, plan: Plan, address: Address, places: Places, acknowledged: AcknowledgedMiles
    ) -> None:
        self._places = places
        self._acknowledged = acknowledged
        event = quote(plan.run_id, safe="")
        self._head = f"GET {address.path}/v2/events/{event}/players/"
        self._tail = f" HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the arrival's player."""
        self._acknowledged.expect_player(self.name, arrival.number, arrival.player)
        return f"{self._head}{self._places.player_id(arrival.player)}{self._tail}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about that player; `behind` when it lacks acknowledged miles."""
        at_least = self._acknowledged.least_expected(self.name, arrival.number)
        answer = read_answer(_event_player_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        if answer.player != self._places.player_id(arrival.player):
            return Reply("bad_body")
        is_eligible = answer.joined and answer.contribution > 0
        if answer.contribution < at_least or answer.eligible != is_eligible:
            return Reply(None, "behind")
        return Reply(None, "own writes seen")


class _Counts(msgspec.Struct):
    counted: int
    duplicate: int
    conflict: int
    outside: int
    late: int


class _RacesAnswer(msgspec.Struct):
    counts: _Counts


class _Sent(NamedTuple):
    player: int
    miles: int
    body: str


_races_decoder = msgspec.json.Decoder(_RacesAnswer)


class Races:
    """Delivers races that have just finished; some are delivered twice, some come very late.

    A repeated delivery has the same bytes as one of the last thousand of this process.
    """

    name = "races"

    def __init__(
        self, plan: Plan, address: Address, places: Places, acknowledged: AcknowledgedMiles
    ) -> None:
        self._places = places
        self._acknowledged = acknowledged
        self._event = plan.run_id
        self._resent = Fraction(str(plan.load.resent_share))
        self._longest_delay_ms = floor(plan.duration_seconds * 1_000 * _LONGEST_DELAY)
        self._head = (
            f"POST {address.path}/v1/races HTTP/1.1\r\nHost: {address.host_header}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        self._recent: deque[_Sent] = deque(maxlen=_REMEMBERED_RACES)
        self._in_flight: OrderedDict[int, _Sent] = OrderedDict()

    def request(self, arrival: Arrival) -> bytes:
        """Deliver the arrival's race, or an earlier one again."""
        if self._repeats(arrival.number) and self._recent:
            sent = self._recent[arrival.number % len(self._recent)]
        else:
            sent = self._make_race(arrival)
            self._recent.append(sent)
        self._in_flight[arrival.number] = sent
        if len(self._in_flight) > _MOST_IN_FLIGHT:
            self._in_flight.popitem(last=False)
        return f"{self._head}{len(sent.body)}\r\n\r\n{sent.body}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success counts the one delivery under one outcome."""
        sent = self._in_flight.pop(arrival.number, None)
        answer = read_answer(_races_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        found = [name for name in OUTCOMES if getattr(answer.counts, name)]
        if len(found) != 1 or getattr(answer.counts, found[0]) != 1:
            return Reply("bad_body")
        # A late race is not in the total, but in the player's own contribution.
        if found[0] in {"counted", "late"} and sent is not None:
            self._acknowledged.add(sent.player, sent.miles)
        return Reply(None, found[0])

    def _repeats(self, number: int) -> bool:
        """Spread the repetitions evenly: their count is the share of the numbers so far."""
        return floor((number + 1) * self._resent) > floor(number * self._resent)

    def _make_race(self, arrival: Arrival) -> _Sent:
        number, player = arrival.number, arrival.player
        miles = arrival.score % MOST_MILES + 1
        finished_ms = time.time_ns() // 1_000_000
        if number % _STRAGGLER_EVERY == 0:
            finished_ms -= arrival.score * self._longest_delay_ms // 10_000
        body = (
            f'{{"event_id":"{self._event}","race_id":"{self._event}-{number}",'
            f'"player_id":"{self._places.player_id(player)}",'
            f'"finished_at":"{timestamp(finished_ms / 1_000)}","amounts":{{"miles":{miles}}}}}'
        )
        return _Sent(player, miles, body)
