"""What answers the operations of systems that live in the ledger, in a service without one."""

from target_service.answers import Answer
from target_service.call import Call
from target_service.operation import Operation
from target_service.problems import LedgerRequired


class Refuse:
    """Answers an operation with the sentence that tells what is missing."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    async def __call__(self, call: Call) -> Answer:
        """Refuse."""
        del call
        raise LedgerRequired(
            "This is kept in the ledger, and the service runs without one; start it with a ledger."
        )
