"""rank_exact, rank_bounded: a player's global rank, `GET …/players/{id}/rank`."""

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.places import Places
from locustfiles.operations.player_request import PlayerRequest
from locustfiles.operations.reading import read_answer


class _Answer(msgspec.Struct):
    player: str
    rank: int


_decoder = msgspec.json.Decoder(_Answer)


class Rank:
    """Reads one player's rank among all, counted exactly or within a stated bound."""

    def __init__(self, consistency: str, address: Address, places: Places) -> None:
        self.name = f"rank_{consistency}"
        self._places = places
        self._request = PlayerRequest(address, places, f"rank?consistency={consistency}")

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the rank of the arrival's player."""
        return self._request.about(arrival)

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about the player asked for, who has a rank."""
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        is_ranked = answer.player == self._places.player_id(arrival.player) and answer.rank >= 1
        return Reply(None if is_ranked else "bad_body")
