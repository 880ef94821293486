"""What the service is put together from."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

Job = Callable[[], Coroutine[Any, Any, None]]


class Part(Protocol):
    """Something that is opened before the first request and closed after the last."""

    async def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """End, leaving nothing open."""
