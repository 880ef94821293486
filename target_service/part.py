"""What the service is put together from."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from target_service.hot_routes import Handler

Job = Callable[[], Coroutine[Any, Any, None]]


class Part(Protocol):
    """Something that is opened before the first request and closed after the last."""

    async def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """End, leaving nothing open."""


@dataclass(frozen=True)
class System:
    """One system: what answers its operations, what is opened for it, and what runs meanwhile."""

    handlers: Sequence[Handler]
    parts: Sequence[Part] = ()
    jobs: Sequence[Job] = ()

    def beside(self, parts: Sequence[Part], jobs: Sequence[Job]) -> "System":
        """Return the same with others that are opened before it and run beside it."""
        return System(self.handlers, (*parts, *self.parts), (*jobs, *self.jobs))
