"""`setup`: start the stack, ask it what it is, report."""

from dataclasses import dataclass

from lab.errors import PartFailed
from lab.stack.redis import answers
from lab.terminal.bench import Workbench


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


def setup(workbench: Workbench) -> list[str]:
    """Report what was read from the server and the service."""
    with workbench.bench("naive") as bench:
        redis = bench.client.describe()["redis"]
        if redis is None:
            raise PartFailed("The service could not ask its Redis server for the version.")
        facts = ServerFacts(
            ping=answers(bench.stack.redis_url),
            server=redis["server"],
            version=redis["version"],
            redis_version=redis["redis_version"],
            redis_py=redis["redis_py"],
        )
    return setup_report(facts)
