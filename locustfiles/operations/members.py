"""Who a player is to the achievements: a member of one of a run's organisations."""

from typing import Final

from locustfiles.operations.places import Places
from locustfiles.plan import Plan

# So many members share a board, more or less.
MEMBERS_PER_ORGANIZATION: Final = 100


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
