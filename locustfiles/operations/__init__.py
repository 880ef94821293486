"""The operations of the load: one contract, one file each, one list."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from locustfiles.address import Address
from locustfiles.operations.around import Around
from locustfiles.operations.contract import Operation, Reply
from locustfiles.operations.places import Place, Places
from locustfiles.operations.rank import Rank
from locustfiles.operations.submit import Submit
from locustfiles.operations.top import Top
from locustfiles.plan import Plan

__all__ = ["MAKERS", "Operation", "Place", "Places", "Reply"]

# One for each name in workload/operations.py, which says how its arrivals are drawn.
MAKERS: Final[Mapping[str, Callable[[Plan, Address], Operation]]] = MappingProxyType(
    {
        "submit": lambda plan, address: Submit(plan, address, Places(plan)),
        "top": Top,
        "around": lambda plan, address: Around(plan, address, Places(plan)),
        "rank_exact": lambda plan, address: Rank("exact", address, Places(plan)),
        "rank_bounded": lambda plan, address: Rank("bounded", address, Places(plan)),
    }
)
