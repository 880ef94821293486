"""The requests that ask something about one player on its board."""

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.places import Places


class PlayerRequest:
    """`GET /v1/boards/…/players/{id}/…`, put together from parts that are made once."""

    def __init__(self, address: Address, places: Places, question: str) -> None:
        self._places = places
        self._heads = [f"GET {address.path}{place.path}/players/" for place in places.all]
        self._tail = f"/{question} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"

    def about(self, arrival: Arrival) -> bytes:
        """The whole request about the arrival's player."""
        head = self._heads[arrival.player % len(self._heads)]
        return f"{head}{self._places.player_id(arrival.player)}{self._tail}".encode("ascii")
