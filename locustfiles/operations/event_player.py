"""event_player: a player's own part, `GET /v2/events/{id}/players/{player}`."""

from urllib.parse import quote

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.places import Places
from locustfiles.operations.reading import read_answer
from locustfiles.operations.told_miles import ToldMiles
from locustfiles.plan import Plan


class _Answer(msgspec.Struct):
    player: str
    joined: bool
    contribution: int
    eligible: bool


_decoder = msgspec.json.Decoder(_Answer)


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
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        if answer.player != self._places.player_id(arrival.player):
            return Reply("bad_body")
        is_eligible = answer.joined and answer.contribution > 0
        if answer.contribution < at_least or answer.eligible != is_eligible:
            return Reply(None, "behind")
        return Reply(None, "own writes seen")
