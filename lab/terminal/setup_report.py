"""The setup report: what the lab runs on, as the server and the service tell it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerFacts:
    """What was really read: the answer to PING, and the versions behind the service."""

    ping: bool
    server: str
    version: str
    redis_version: str
    redis_py: str


def setup_report(facts: ServerFacts) -> list[str]:
    """Write three lines; a Valkey server is called one, with the Redis version it speaks."""
    spoken = f" (redis_version {facts.redis_version})" if facts.server != "redis" else ""
    ping = "True" if facts.ping else "False - FAIL"
    return [
        f"Redis ping: {ping}",
        f"Redis image: {facts.server}:{facts.version}{spoken}, as read from the server",
        f"redis-py version: {facts.redis_py}",
    ]
