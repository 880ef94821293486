"""Who a player is to the service: its id and the board it belongs to."""

from dataclasses import dataclass

from locustfiles.plan import Plan
from workload.dataset import player_id
from workload.model import partition_keys


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
