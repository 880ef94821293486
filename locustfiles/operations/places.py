"""Where the service keeps a player: under an id, on a board, in an organisation."""

from dataclasses import dataclass
from typing import Final

from locustfiles.http.dialer import Address
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival
from workload.dataset import player_id
from workload.model import partition_keys

# So many members share a board, more or less.
MEMBERS_PER_ORGANIZATION: Final = 100


@dataclass(frozen=True)
class Place:
    """One partition: its key and the names that routes and bodies use."""

    partition: str
    region: str
    mode: str
    season: str

    @property
    def path(self) -> str:
        """The part of a URL that names the board."""
        return f"/v1/boards/{self.region}/{self.mode}/{self.season}"


class Places:
    """The partitions of a run and the players in them: player i lives in partition i mod P."""

    def __init__(self, plan: Plan) -> None:
        self._prefix = plan.player_prefix
        self.all = tuple(
            Place(key, *key.split(":")[1:]) for key in partition_keys(plan.assumptions)
        )

    def of(self, player: int) -> Place:
        """The partition of a player."""
        return self.all[player % len(self.all)]

    def player_id(self, player: int) -> str:
        """The id under which the service knows a player."""
        return self._prefix + player_id(player)


class PlayerRequest:
    """`GET /v1/boards/…/players/{id}/…`, joined from parts that are made once."""

    def __init__(self, address: Address, places: Places, query: str) -> None:
        self._places = places
        self._heads = [f"GET {address.path}{place.path}/players/" for place in places.all]
        self._tail = f"/{query} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"

    def about(self, arrival: Arrival) -> bytes:
        """The whole request about the arrival's player."""
        head = self._heads[arrival.player % len(self._heads)]
        return f"{head}{self._places.player_id(arrival.player)}{self._tail}".encode("ascii")


class Members:
    """Player i is the member of the same id, in organisation i mod the number of these."""

    def __init__(self, plan: Plan) -> None:
        self._places = Places(plan)
        self._prefix = plan.player_prefix
        self.organizations = max(1, plan.players // MEMBERS_PER_ORGANIZATION)

    def member_id(self, player: int) -> str:
        """The id under which the service knows the member."""
        return self._places.player_id(player)

    def organization(self, player: int) -> str:
        """The organisation that the member belongs to."""
        return f"{self._prefix}organization-{player % self.organizations:05d}"
