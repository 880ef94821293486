"""The operations of the load: one contract, one file each, one list."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from locustfiles.address import Address
from locustfiles.operations.achievements import Achievements
from locustfiles.operations.around import Around
from locustfiles.operations.colleagues import Colleagues
from locustfiles.operations.contract import Operation, Reply
from locustfiles.operations.count import Count
from locustfiles.operations.event_player import EventPlayer
from locustfiles.operations.event_state import EventPoll
from locustfiles.operations.members import Members
from locustfiles.operations.places import Place, Places
from locustfiles.operations.races import Races
from locustfiles.operations.rank import Rank
from locustfiles.operations.submit import Submit
from locustfiles.operations.told_miles import ToldMiles
from locustfiles.operations.top import Top
from locustfiles.plan import Plan

__all__ = ["MAKERS", "Operation", "Place", "Places", "Reply", "make_operations"]

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
