"""A value that arrives once, and that greenlets can wait for."""

from typing import Generic, TypeVar

from gevent.event import Event

T = TypeVar("T")


class Once(Generic[T]):
    """Empty until it is set; the first value stays."""

    def __init__(self) -> None:
        self._arrived = Event()
        self._values: list[T] = []

    def set(self, value: T) -> None:
        """Let everybody have the value."""
        self._values.append(value)
        self._arrived.set()

    def get(self) -> T:
        """Wait for the value."""
        self._arrived.wait()
        return self._values[0]

    def is_set(self) -> bool:
        """Whether the value has arrived."""
        return self._arrived.is_set()
