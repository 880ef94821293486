"""Locust's events, whose functions carry no types."""

from collections.abc import Callable

from locust.event import EventHook


def listen(hook: EventHook, listener: Callable[..., None]) -> None:
    """Call the listener whenever the event is fired."""
    typed(hook.add_listener)(listener)


def typed(function: Callable[..., object]) -> Callable[..., object]:
    """One of Locust's untyped functions, with a type that mypy accepts."""
    return function
