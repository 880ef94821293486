"""races: one delivery of a completed race, `POST /v1/races`."""

import time
from collections import OrderedDict, deque
from datetime import UTC, datetime
from fractions import Fraction
from math import floor
from typing import Final, NamedTuple

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.places import Places
from locustfiles.operations.reading import read_answer
from locustfiles.operations.told_miles import ToldMiles
from locustfiles.plan import Plan

MOST_MILES: Final = 30
OUTCOMES: Final = ("counted", "duplicate", "conflict", "outside", "late")
# One race in so many was finished long before it is delivered, by up to this part of the run.
_STRAGGLER_EVERY: Final = 50
_LONGEST_DELAY: Final = Fraction(1, 4)
_REMEMBERED: Final = 1_000
_ON_THEIR_WAY: Final = 20_000


class _Counts(msgspec.Struct):
    counted: int
    duplicate: int
    conflict: int
    outside: int
    late: int


class _Answer(msgspec.Struct):
    counts: _Counts


class _Sent(NamedTuple):
    player: int
    miles: int
    body: str


_decoder = msgspec.json.Decoder(_Answer)


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
        if len(self._on_their_way) > _ON_THEIR_WAY:
            self._on_their_way.popitem(last=False)
        return f"{self._head}{len(sent.body)}\r\n\r\n{sent.body}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success tells what became of the one delivery."""
        sent = self._on_their_way.pop(arrival.number, None)
        answer = read_answer(_decoder, status, body)
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
