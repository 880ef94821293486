"""What can go wrong on the wire.

RedisUnavailable     no whole answer came in time, or nothing could be sent
└── QueueFull        too much is waiting already, so nothing was sent
"""


class RedisUnavailable(Exception):
    """Redis gave no whole answer in time."""


class QueueFull(RedisUnavailable):
    """Too many commands are waiting for Redis already."""
