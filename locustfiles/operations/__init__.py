"""The operations of the load: one contract, one file each, one list."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from locustfiles.http.dialer import Address
from locustfiles.operations.achievements import Achievements, Colleagues, Count
from locustfiles.operations.contract import Operation
from locustfiles.operations.leaderboard import Around, Rank, Submit, Top
from locustfiles.operations.odometer import AcknowledgedMiles, EventPlayer, EventPoll, Races
from locustfiles.operations.places import Members, Places
from locustfiles.run.plan import Plan

# One for each name in workload/operations.py, which says how its arrivals are drawn. The
# operations of one process share the last argument.
MAKERS: Final[Mapping[str, Callable[[Plan, Address, AcknowledgedMiles], Operation]]] = (
    MappingProxyType(
        {
            "submit": lambda plan, address, _: Submit(plan, address, Places(plan)),
            "top": lambda plan, address, _: Top(plan, address),
            "around": lambda plan, address, _: Around(plan, address, Places(plan)),
            "rank_exact": lambda plan, address, _: Rank("exact", address, Places(plan)),
            "rank_bounded": lambda plan, address, _: Rank("bounded", address, Places(plan)),
            "event_v1": lambda plan, address, acknowledged: EventPoll(
                1, plan, address, acknowledged
            ),
            "event_v2": lambda plan, address, acknowledged: EventPoll(
                2, plan, address, acknowledged
            ),
            "event_player": lambda plan, address, acknowledged: EventPlayer(
                plan, address, Places(plan), acknowledged
            ),
            "races": lambda plan, address, acknowledged: Races(
                plan, address, Places(plan), acknowledged
            ),
            "count": lambda plan, address, _: Count(plan, address, Members(plan)),
            "achievements": lambda plan, address, _: Achievements(address, Members(plan)),
            "colleagues": lambda plan, address, _: Colleagues(address, Members(plan)),
        }
    )
)


def make_operations(plan: Plan, address: Address) -> dict[str, Operation]:
    """The operations that one process replays."""
    acknowledged = AcknowledgedMiles()
    return {name: MAKERS[name](plan, address, acknowledged) for name in plan.rates_per_second}
