"""The operations of the load: one contract, one file each, one list."""

from collections.abc import Callable, Mapping

from locustfiles.address import Address
from locustfiles.operations.around import Around
from locustfiles.operations.contract import Operation, Reply
from locustfiles.operations.event_player import EventPlayer
from locustfiles.operations.event_state import EventPoll
from locustfiles.operations.places import Place, Places
from locustfiles.operations.races import Races
from locustfiles.operations.rank import Rank
from locustfiles.operations.submit import Submit
from locustfiles.operations.told_miles import ToldMiles
from locustfiles.operations.top import Top
from locustfiles.plan import Plan

__all__ = ["Operation", "Place", "Places", "Reply", "make_operations"]


def make_operations(plan: Plan, address: Address) -> dict[str, Operation]:
    """The operations that a process replays; `workload/operations.py` says how they are drawn."""
    makers = _makers(plan, address)
    return {name: makers[name]() for name in plan.rates_per_second}


def _makers(plan: Plan, address: Address) -> Mapping[str, Callable[[], Operation]]:
    places, told = Places(plan), ToldMiles()
    return {
        "submit": lambda: Submit(plan, address, places),
        "top": lambda: Top(plan, address),
        "around": lambda: Around(plan, address, places),
        "rank_exact": lambda: Rank("exact", address, places),
        "rank_bounded": lambda: Rank("bounded", address, places),
        "event_v1": lambda: EventPoll(1, plan, address),
        "event_v2": lambda: EventPoll(2, plan, address),
        "event_player": lambda: EventPlayer(plan, address, places, told),
        "races": lambda: Races(plan, address, places, told),
    }
