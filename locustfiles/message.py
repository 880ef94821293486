"""What Locust hands to the listener of a message."""

from typing import Any, Protocol


class Message(Protocol):
    """One message, from whom it came and what it says."""

    node_id: str
    data: Any
