"""What the Redis server says about itself."""

import redis

from target_service.description import RedisFacts
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline

UNTOLD = "unknown"
# Two plain calls, because servers before 7.0 answer only one section at a time.
_INFO = [Command(pack("INFO", part), Uncounted()) for part in ("server", "cluster")]


async def read_server_facts(pipeline: Pipeline) -> RedisFacts:
    """Ask the server; Valkey tells its own version beside the one it is compatible to."""
    replies, _ = await pipeline.run(_INFO)
    facts = dict(
        line.split(":", 1) for reply in replies for line in reply.splitlines() if ":" in line
    )
    is_valkey = "valkey_version" in facts
    return RedisFacts(
        server="valkey" if is_valkey else "redis",
        version=facts.get("valkey_version" if is_valkey else "redis_version", UNTOLD),
        redis_version=facts.get("redis_version", UNTOLD),
        cluster=facts.get("cluster_enabled") == "1",
        redis_py=redis.__version__,
    )
