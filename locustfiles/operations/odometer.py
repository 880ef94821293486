"""event_v1, event_v2, event_player and races: the load on a community event."""

import time
from collections import OrderedDict, defaultdict, deque
from datetime import UTC, datetime
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

# More requests than this are never on their way at once; of a failed one nobody asks again.
_TOLD_MILES_ON_THEIR_WAY: Final = 20_000


class ToldMiles:
    """By player, whose arrivals are all sent by one process, which has this; and in total."""

    def __init__(self) -> None:
        self._total = 0
        self._told: dict[int, int] = defaultdict(int)
        # Operations number their arrivals each for itself.
        self._floors: OrderedDict[tuple[str, int], int] = OrderedDict()

    def counted(self, player: int, miles: int) -> None:
        """Note that the service said it has counted miles of a player."""
        self._told[player] += miles

    def total(self, miles: int) -> None:
        """Note that a poll was told this total."""
        self._total = max(self._total, miles)

    def ask(self, operation: str, number: int, player: int) -> None:
        """Remember what a read that is sent now must at least find."""
        self._remember(operation, number, self._told.get(player, 0))

    def ask_total(self, operation: str, number: int) -> None:
        """Remember what a poll that is sent now must at least be told."""
        self._remember(operation, number, self._total)

    def at_least(self, operation: str, number: int) -> int:
        """What the answer to that request must at least say."""
        return self._floors.pop((operation, number), 0)

    def _remember(self, operation: str, number: int, miles: int) -> None:
        self._floors[operation, number] = miles
        if len(self._floors) > _TOLD_MILES_ON_THEIR_WAY:
            self._floors.popitem(last=False)


_MICROSECONDS: Final = 1_000_000


class EventPoll:
    """Polls the community total as a client of one version does, and notes how old it is.

    The answer is read by the client that ships, the age by this machine's clock: where the
    service runs on another one, their difference is in it. A final total can change no more: it
    has no age. A total below one that was told before the poll was sent is `behind`.
    """

    def __init__(
        self, version: int, plan: Plan, address: Address, told: ToldMiles | None = None
    ) -> None:
        self._told = told or ToldMiles()
        self.name = f"event_v{version}"
        self._version = version
        self._event_id = plan.run_id
        path = event_path(version, quote(plan.run_id, safe=""))
        head = f"GET {address.path}{path} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"
        self._request = head.encode("ascii")

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the event."""
        self._told.ask_total(self.name, arrival.number)
        return self._request

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about the event asked for, in the version asked for."""
        at_least = self._told.at_least(self.name, arrival.number)
        if status != OK:
            return Reply(failure_of(status, body))
        now = time.time()
        try:
            state = read_state(self._version, body)
        except ServiceTrouble:
            return Reply("bad_body")
        if state.event_id != self._event_id:
            return Reply("bad_body")
        self._told.total(state.total)
        said = "behind" if state.total < at_least else state.state
        if state.is_final:
            return Reply(None, said)
        age_us = round((now - state.as_of.timestamp()) * _MICROSECONDS)
        return Reply(None, said, age_us=max(age_us, 0))


class _EventPlayerAnswer(msgspec.Struct):
    player: str
    joined: bool
    contribution: int
    eligible: bool


_event_player_decoder = msgspec.json.Decoder(_EventPlayerAnswer)


class EventPlayer:
    """Reads what a player has contributed; what it was told is counted must be in it."""

    name = "event_player"

    def __init__(self, plan: Plan, address: Address, places: Places, told: ToldMiles) -> None:
        self._places = places
        self._told = told
        event = quote(plan.run_id, safe="")
        self._head = f"GET {address.path}/v2/events/{event}/players/"
        self._tail = f" HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the arrival's player."""
        self._told.ask(self.name, arrival.number, arrival.player)
        return f"{self._head}{self._places.player_id(arrival.player)}{self._tail}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about that player; `behind` when it lacks what was told before."""
        at_least = self._told.at_least(self.name, arrival.number)
        answer = read_answer(_event_player_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        if answer.player != self._places.player_id(arrival.player):
            return Reply("bad_body")
        is_eligible = answer.joined and answer.contribution > 0
        if answer.contribution < at_least or answer.eligible != is_eligible:
            return Reply(None, "behind")
        return Reply(None, "own writes seen")


MOST_MILES: Final = 30
OUTCOMES: Final = ("counted", "duplicate", "conflict", "outside", "late")
# One race in so many was finished long before it is delivered, by up to this part of the run.
_STRAGGLER_EVERY: Final = 50
_LONGEST_DELAY: Final = Fraction(1, 4)
_REMEMBERED: Final = 1_000
_RACES_ON_THEIR_WAY: Final = 20_000


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
    """Delivers races that have just finished; some are delivered again, some come very late.

    A delivery that is repeated is one of the last thousand of this process, word for word.
    """

    name = "races"

    def __init__(self, plan: Plan, address: Address, places: Places, told: ToldMiles) -> None:
        self._places = places
        self._told = told
        self._event = plan.run_id
        self._resent = Fraction(str(plan.load.resent_share))
        self._longest_delay_ms = floor(plan.duration_seconds * 1_000 * _LONGEST_DELAY)
        self._head = (
            f"POST {address.path}/v1/races HTTP/1.1\r\nHost: {address.host_header}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        self._lately: deque[_Sent] = deque(maxlen=_REMEMBERED)
        self._on_their_way: OrderedDict[int, _Sent] = OrderedDict()

    def request(self, arrival: Arrival) -> bytes:
        """Deliver the arrival's race, or an earlier one again."""
        if self._repeats(arrival.number) and self._lately:
            sent = self._lately[arrival.number % len(self._lately)]
        else:
            sent = self._made(arrival)
            self._lately.append(sent)
        self._on_their_way[arrival.number] = sent
        if len(self._on_their_way) > _RACES_ON_THEIR_WAY:
            self._on_their_way.popitem(last=False)
        return f"{self._head}{len(sent.body)}\r\n\r\n{sent.body}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success tells what became of the one delivery."""
        sent = self._on_their_way.pop(arrival.number, None)
        answer = read_answer(_races_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        told = [name for name in OUTCOMES if getattr(answer.counts, name)]
        if len(told) != 1 or getattr(answer.counts, told[0]) != 1:
            return Reply("bad_body")
        # A late one is no more in the total, but in the player's own part.
        if told[0] in {"counted", "late"} and sent is not None:
            self._told.counted(sent.player, sent.miles)
        return Reply(None, told[0])

    def _repeats(self, number: int) -> bool:
        """Spread the repetitions evenly: their count is the share of the numbers so far."""
        return floor((number + 1) * self._resent) > floor(number * self._resent)

    def _made(self, arrival: Arrival) -> _Sent:
        number, player = arrival.number, arrival.player
        miles = arrival.score % MOST_MILES + 1
        finished_ms = time.time_ns() // 1_000_000
        if number % _STRAGGLER_EVERY == 0:
            finished_ms -= arrival.score * self._longest_delay_ms // 10_000
        at = datetime.fromtimestamp(finished_ms / 1_000, UTC)
        moment = f"{at:%Y-%m-%dT%H:%M:%S}.{finished_ms % 1_000:03d}Z"
        body = (
            f'{{"event_id":"{self._event}","race_id":"{self._event}-{number}",'
            f'"player_id":"{self._places.player_id(player)}",'
            f'"finished_at":"{moment}","amounts":{{"miles":{miles}}}}}'
        )
        return _Sent(player, miles, body)
