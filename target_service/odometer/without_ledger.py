"""The odometer's routes of a service without a ledger: each says what it lacks."""

from collections.abc import Sequence

from target_service.odometer.event_player import ReadEventPlayer
from target_service.odometer.event_state import ReadEventV1, ReadEventV2, ReadVersions
from target_service.odometer.join import JoinEvent
from target_service.odometer.put_event import PutEvent
from target_service.odometer.races import TakeRaces
from target_service.operation import Operation
from target_service.without_ledger import Refuse, without_ledger

OPERATIONS: Sequence[Operation] = (
    PutEvent.operation,
    ReadVersions.operation,
    ReadEventV1.operation,
    ReadEventV2.operation,
    JoinEvent.operation,
    TakeRaces.operation,
    ReadEventPlayer.operation,
)


def refusing() -> Sequence[Refuse]:
    """Return what answers the odometer's operations without a ledger."""
    return without_ledger(OPERATIONS)
