"""What a run needs to know of the stack it loads; one module for each kind of stack."""

from typing import Protocol

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
