"""around: a player's neighbours on its board, `GET …/players/{id}/around`."""

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.freshness import freshness
from locustfiles.operations.places import Places
from locustfiles.operations.player_request import PlayerRequest
from locustfiles.operations.reading import read_answer
from locustfiles.plan import Plan


class _Entry(msgspec.Struct):
    player: str
    score: int
    position: int


class _Answer(msgspec.Struct):
    player: str
    position: int
    entries: list[_Entry]
    recovering: bool = False


_decoder = msgspec.json.Decoder(_Answer)


class Around:
    """Reads the page around one player."""

    name = "around"

    def __init__(self, plan: Plan, address: Address, places: Places) -> None:
        self._places = places
        self._request = PlayerRequest(address, places, f"around?window={plan.load.window}")

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the page around the arrival's player."""
        return self._request.about(arrival)

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about the player asked for, who stands on the page."""
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        wanted = self._places.player_id(arrival.player)
        is_there = answer.player == wanted and any(
            entry.player == wanted and entry.position == answer.position for entry in answer.entries
        )
        return Reply(None, freshness(answer)) if is_there else Reply("bad_body")
