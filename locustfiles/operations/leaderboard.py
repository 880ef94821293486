"""submit, top, around and the ranks: the load on the boards."""

from typing import Final, Literal

import msgspec

from locustfiles.http.dialer import Address
from locustfiles.operations.contract import Reply, freshness, read_answer
from locustfiles.operations.places import Places, PlayerRequest
from locustfiles.recording.last_scores import Accepted
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival


class _SubmitAnswer(msgspec.Struct):
    status: Literal["applied", "duplicate", "stale", "durable-only"]


_SUCCESSES: Final = frozenset({200, 202})
_ACCEPTED: Final = frozenset({"applied", "durable-only"})
_submit_decoder = msgspec.json.Decoder(_SubmitAnswer)


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
        """A success says what became of the event."""
        answer = read_answer(_submit_decoder, status, body, _SUCCESSES)
        if isinstance(answer, Reply):
            return answer
        if answer.status not in _ACCEPTED:
            return Reply(None, answer.status)
        return Reply(None, answer.status, Accepted(self._sequence(arrival), arrival.score))

    def _sequence(self, arrival: Arrival) -> int:
        if arrival.overtaken_by is not None:
            return self._sequence_of_number_0 + 2 * arrival.overtaken_by - 1
        return self._sequence_of_number_0 + 2 * arrival.number


class _TopEntry(msgspec.Struct):
    player: str
    score: int
    partition: str


class _TopAnswer(msgspec.Struct):
    entries: list[_TopEntry]
    as_of: str
    recovering: bool = False


_top_decoder = msgspec.json.Decoder(_TopAnswer)


class Top:
    """Reads the first K, of each active season in turn."""

    name = "top"

    def __init__(self, plan: Plan, address: Address) -> None:
        self._k = plan.load.k
        self._requests = [
            (
                f"GET {address.path}/v1/top?k={self._k}&season={season} HTTP/1.1\r\n"
                f"Host: {address.host_header}\r\n\r\n"
            ).encode("ascii")
            for season in plan.assumptions.active_seasons
        ]

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the first K."""
        return self._requests[arrival.number % len(self._requests)]

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success holds entries, and at most K."""
        del arrival
        answer = read_answer(_top_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        is_page = 0 < len(answer.entries) <= self._k
        return Reply(None, freshness(answer)) if is_page else Reply("bad_body")


class _AroundEntry(msgspec.Struct):
    player: str
    score: int
    position: int


class _AroundAnswer(msgspec.Struct):
    player: str
    position: int
    entries: list[_AroundEntry]
    recovering: bool = False


_around_decoder = msgspec.json.Decoder(_AroundAnswer)


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
        """A success is about the requested player, who stands on the page."""
        answer = read_answer(_around_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        wanted = self._places.player_id(arrival.player)
        is_there = answer.player == wanted and any(
            entry.player == wanted and entry.position == answer.position for entry in answer.entries
        )
        return Reply(None, freshness(answer)) if is_there else Reply("bad_body")


class _RankAnswer(msgspec.Struct):
    player: str
    rank: int


_rank_decoder = msgspec.json.Decoder(_RankAnswer)


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
        """A success is about the requested player, who has a rank."""
        answer = read_answer(_rank_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        is_ranked = answer.player == self._places.player_id(arrival.player) and answer.rank >= 1
        return Reply(None if is_ranked else "bad_body")
