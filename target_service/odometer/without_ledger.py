"""The odometer's routes of a service without a ledger: each says what it lacks."""

from collections.abc import Sequence

from target_service.answers import Answer
from target_service.call import Call
from target_service.odometer.event_player import ReadEventPlayer
from target_service.odometer.event_state import ReadEventV1, ReadEventV2, ReadVersions
from target_service.odometer.join import JoinEvent
from target_service.odometer.put_event import PutEvent
from target_service.odometer.races import TakeRaces
from target_service.operation import Operation
from target_service.problems import LedgerRequired

OPERATIONS: Sequence[Operation] = (
    PutEvent.operation,
    ReadVersions.operation,
    ReadEventV1.operation,
    ReadEventV2.operation,
    JoinEvent.operation,
    TakeRaces.operation,
    ReadEventPlayer.operation,
)


class Refuse:
    """Answers an operation with the sentence that tells what is missing."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    async def __call__(self, _: Call) -> Answer:
        """Refuse."""
        raise LedgerRequired(
            "Community events are kept in the ledger, and this service runs without one; "
            "start it with a ledger."
        )


def refusing() -> list[Refuse]:
    """Return what answers the odometer's operations without a ledger."""
    return [Refuse(operation) for operation in OPERATIONS]
