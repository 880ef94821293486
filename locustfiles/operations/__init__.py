"""The operations of the load: one contract, one file each, one chooser."""

from locustfiles.address import Address
from locustfiles.operations.around import Around
from locustfiles.operations.contract import Operation, Reply
from locustfiles.operations.places import Place, Places
from locustfiles.operations.submit import Submit
from locustfiles.operations.top import Top
from locustfiles.plan import Plan

__all__ = ["Operation", "Place", "Places", "Reply", "make_operation"]


def make_operation(name: str, plan: Plan, address: Address) -> Operation:
    """Make the operation of that name for one run."""
    match name:
        case "submit":
            return Submit(plan, address, Places(plan))
        case "top":
            return Top(plan, address)
        case _:
            return Around(plan, address, Places(plan))
