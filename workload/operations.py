"""The operations that a scenario can send, and how the arrivals of each are drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from workload.fields import Field, Number, field_problems, shown

# Above any rate that one machine can offer; a slip of the finger is refused.
_MOST_PER_SECOND: Final = 100_000_000


@dataclass(frozen=True)
class OperationShape:
    """What is drawn for each arrival of an operation, and what it needs before the start."""

    names_player: bool = False
    draws_score: bool = False
    # A player's next request waits for the answer to the previous one.
    in_order: bool = False
    # The players must stand on the boards first.
    needs_boards: bool = False
    # A service without a ledger does not have it.
    needs_ledger: bool = False
    # The scenario that makes what it asks for before the start.
    prepared_by: str | None = None


MODELLED: Final = ("submit", "top", "around")

OPERATIONS: Final[Mapping[str, OperationShape]] = MappingProxyType(
    {
        "submit": OperationShape(
            names_player=True, draws_score=True, in_order=True, needs_boards=True
        ),
        "top": OperationShape(needs_boards=True),
        "around": OperationShape(names_player=True, needs_boards=True),
        "rank_exact": OperationShape(names_player=True, needs_boards=True),
        "rank_bounded": OperationShape(names_player=True, needs_boards=True, needs_ledger=True),
        "event_v1": OperationShape(needs_ledger=True, prepared_by="odometer"),
        "event_v2": OperationShape(needs_ledger=True, prepared_by="odometer"),
        "event_player": OperationShape(
            names_player=True, needs_ledger=True, prepared_by="odometer"
        ),
        "races": OperationShape(
            names_player=True, draws_score=True, needs_ledger=True, prepared_by="odometer"
        ),
        "count": OperationShape(names_player=True, needs_ledger=True),
        "achievements": OperationShape(
            names_player=True, needs_ledger=True, prepared_by="achievements"
        ),
        "colleagues": OperationShape(
            names_player=True, needs_ledger=True, prepared_by="achievements"
        ),
    }
)

OPERATION_FIELDS: Final[Mapping[str, Field]] = MappingProxyType(
    dict.fromkeys(OPERATIONS, Number(0, _MOST_PER_SECOND))
)


def mix_problems(values: Mapping[str, object], *, modelled_mix: object) -> list[str]:
    """List everything wrong with a scenario's own operations, as sentences."""
    problems: list[str] = []
    if not isinstance(modelled_mix, bool):
        problems.append(f"modelled_mix must be true or false; it is {shown(modelled_mix)}.")
    for sentences in field_problems(OPERATION_FIELDS, values).values():
        problems += sentences
    if problems:
        return problems
    if modelled_mix:
        return [
            f"{name} has its rate from the traffic model; change the assumptions, or say "
            "modelled_mix = false to give the rates yourself."
            for name in MODELLED
            if name in values
        ]
    if not any(values.values()):
        return ["modelled_mix is false and no operation has a rate, so nothing would be sent."]
    return []
