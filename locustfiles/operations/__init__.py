"""The operations of the load: one contract, one file each, one list."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from locustfiles.http.dialer import Address
from locustfiles.operations.achievements import Achievements, Colleagues, Count
from locustfiles.operations.contract import Operation
from locustfiles.operations.leaderboard import Around, Rank, Submit, Top
from locustfiles.operations.odometer import EventPlayer, EventPoll, Races, ToldMiles
from locustfiles.operations.places import Members, Places
from locustfiles.run.plan import Plan

# One for each name in workload/operations.py, which says how its arrivals are drawn. The last
# argument is what the operations of one process know together.
MAKERS: Final[Mapping[str, Callable[[Plan, Address, ToldMiles], Operation]]] = MappingProxyType(
    {
        "submit": lambda plan, address, _: Submit(plan, address, Places(plan)),
        "top": lambda plan, address, _: Top(plan, address),
        "around": lambda plan, address, _: Around(plan, address, Places(plan)),
        "rank_exact": lambda plan, address, _: Rank("exact", address, Places(plan)),
        "rank_bounded": lambda plan, address, _: Rank("bounded", address, Places(plan)),
        "event_v1": lambda plan, address, told: EventPoll(1, plan, address, told),
        "event_v2": lambda plan, address, told: EventPoll(2, plan, address, told),
        "event_player": lambda plan, address, told: EventPlayer(plan, address, Places(plan), told),
        "races": lambda plan, address, told: Races(plan, address, Places(plan), told),
        "count": lambda plan, address, _: Count(plan, address, Members(plan)),
        "achievements": lambda plan, address, _: Achievements(address, Members(plan)),
        "colleagues": lambda plan, address, _: Colleagues(address, Members(plan)),
    }
)


def make_operations(plan: Plan, address: Address) -> dict[str, Operation]:
    """The operations that one process replays."""
    told = ToldMiles()
    return {name: MAKERS[name](plan, address, told) for name in plan.rates_per_second}
