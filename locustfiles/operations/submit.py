"""submit: one player's new score, `POST /v1/scores`."""

from typing import Final, Literal

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.last_scores import Accepted
from locustfiles.operations.contract import Reply
from locustfiles.operations.places import Places
from locustfiles.operations.reading import read_answer
from locustfiles.plan import Plan


class _Answer(msgspec.Struct):
    status: Literal["applied", "duplicate", "stale", "durable-only"]


_SUCCESSES: Final = frozenset({200, 202})
_ACCEPTED: Final = frozenset({"applied", "durable-only"})
_decoder = msgspec.json.Decoder(_Answer)


class Submit:
    """Writes scores; a player's later arrival has the greater sequence.

    Between any two sequences there is room for an event that the second one overtook.
    """

    name = "submit"

    def __init__(self, plan: Plan, address: Address, places: Places) -> None:
        self._sequence_of_number_0 = plan.sequence_base + 2 * (1 - plan.first_number(self.name))
        self._places = places
        self._event_prefix = plan.run_id
        self._head = (
            f"POST {address.path}/v1/scores HTTP/1.1\r\nHost: {address.host_header}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        self._boards = [
            f'"region":"{place.region}","mode":"{place.mode}","season":"{place.season}"'
            for place in places.all
        ]

    def request(self, arrival: Arrival) -> bytes:
        """Write the arrival's score for its player."""
        number, player, score = arrival.number, arrival.player, arrival.score
        body = (
            f'{{"event_id":"{self._event_prefix}-{number}",'
            f'"player_id":"{self._places.player_id(player)}",'
            f"{self._boards[player % len(self._boards)]},"
            f'"score":{score},"sequence":{self._sequence(arrival)}}}'
        )
        return f"{self._head}{len(body)}\r\n\r\n{body}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success tells what became of the event."""
        answer = read_answer(_decoder, status, body, _SUCCESSES)
        if isinstance(answer, Reply):
            return answer
        if answer.status not in _ACCEPTED:
            return Reply(None, answer.status)
        return Reply(None, answer.status, Accepted(self._sequence(arrival), arrival.score))

    def _sequence(self, arrival: Arrival) -> int:
        if arrival.overtaken_by is not None:
            return self._sequence_of_number_0 + 2 * arrival.overtaken_by - 1
        return self._sequence_of_number_0 + 2 * arrival.number
