"""What answers the operations of systems that live in the ledger, in a service without one."""

from collections.abc import Iterable, Sequence

from target_service.answers import Answer
from target_service.call import Call
from target_service.operation import Operation
from target_service.problems import LedgerRequired


class Refuse:
    """Answers an operation with the sentence that tells what is missing."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    async def __call__(self, _: Call) -> Answer:
        """Refuse."""
        raise LedgerRequired(
            "This is kept in the ledger, and the service runs without one; start it with a ledger."
        )


def without_ledger(operations: Iterable[Operation]) -> Sequence[Refuse]:
    """Return what answers these operations without a ledger."""
    return [Refuse(operation) for operation in operations]
