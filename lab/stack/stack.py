"""What a run needs to know of the stack it loads."""

from dataclasses import dataclass
from typing import Protocol

from lab.stack.checkout_lock import Checkout, CheckoutLock
from lab.stopping import StopRequest


@dataclass(frozen=True)
class Session:
    """One use of the checkout: its folders, its lock, and the wish to stop."""

    checkout: Checkout
    lock: CheckoutLock
    stop: StopRequest


# What tells a process from a later one in its place: a pid or a container, and when it started.
Processes = frozenset[tuple[int | str, float | str]]


class Stack(Protocol):
    """A service and its Redis server, up and ready to be loaded."""

    @property
    def service_url(self) -> str:
        """The address of the service."""
        ...

    @property
    def redis_url(self) -> str:
        """The address of the Redis server behind it."""
        ...

    def failure(self) -> str | None:
        """A sentence about a part that died, or None."""
        ...

    def service_processes(self) -> Processes:
        """The service as it runs now, to see later whether it is the same still.

        Raises:
            PartFailed: it is gone.
        """
        ...
