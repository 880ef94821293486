"""What one board of many players costs the server: time per command, memory per player.

python tests/target_service/bench_board_commands.py [--players 1000000]

Times are the server's own (INFO commandstats), of one command at a time on one key; the
yardstick is ZREVRANK. ARCHITECTURE.md works with the figures of the long form.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ranked_worker import load, name, worker
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.durability import Durability
from target_service.leaderboard.key_scripts import AROUND, STANDING
from target_service.leaderboard.store import Store
from target_service.ledger import events
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.packing import pack

_SCORES = 1_000_000
Call = Callable[[int, int, float], Awaitable[object]]


async def worked_us(redis: Redis, command: str, call: Call, players: int, calls: int) -> float:
    """The server's time for one call, by its statistics of that command."""
    rng = random.Random(5)
    deadline = asyncio.get_running_loop().time() + 600
    # The server knows the script from here on.
    await call(0, 0, deadline)
    redis.config_resetstat()
    for _ in range(calls):
        await call(rng.randrange(players), rng.randrange(_SCORES), deadline)
    return float(redis.info("commandstats")[f"cmdstat_{command}"]["usec_per_call"])


def calls_on(store: Store, durability: Durability) -> dict[str, tuple[str, Call]]:
    """What is measured, and the command that the server knows it by."""
    pipeline, (key,) = store.pipeline, store.boards.keys_of()
    own, homes = store.commands[key], store.boards.of()
    numbers = count()

    async def zrevrank(player: int, _score: int, deadline: float) -> object:
        command = Command(pack("ZREVRANK", key, name(player)), Uncounted())
        return await pipeline.run((command,), deadline)

    async def write(player: int, score: int, deadline: float) -> object:
        home = homes[player % len(homes)]
        board = events.Board(home.season, home.partition)
        event = events.Event(f"write-{next(numbers)}", name(player), board, score)
        stored = await durability.ledger.submit(event)
        version = stored.version or 0
        return await durability.projection.write(key, name(player), score, version, deadline)

    async def around(player: int, _score: int, deadline: float) -> object:
        return await AROUND.run(pipeline, own.around(name(player), 2), deadline)

    async def standing(player: int, _score: int, deadline: float) -> object:
        return await STANDING.run(pipeline, own.standing(name(player)), deadline)

    async def above(_player: int, score: int, deadline: float) -> object:
        return await pipeline.run((own.count_above(str(score)),), deadline)

    async def version(_player: int, _score: int, deadline: float) -> object:
        return await pipeline.run((store.board_versions[key],), deadline)

    async def top(_player: int, _score: int, deadline: float) -> object:
        return await pipeline.run((own.top(10),), deadline)

    return {
        "ZREVRANK": ("zrevrank", zrevrank),
        "guarded write": ("evalsha", write),
        "around-me page": ("evalsha", around),
        "own standing": ("evalsha", standing),
        "count above": ("zcount", above),
        "version": ("hmget", version),
        "top 10": ("zrevrange", top),
    }


async def measure(valkey: ValkeyProcess, folder: Path, players: int, calls: int) -> None:
    """Fill one board and print a line for each command."""
    async with worker("naive", valkey.url(), folder) as (store, durability):
        with valkey.client() as redis:
            empty = redis.info("memory")["used_memory"]
            await load(store, durability, players)
            held = (redis.info("memory")["used_memory"] - empty) / players
            sys.stdout.write(
                f"one board of {players:,} players: {held:.0f} bytes each, versions included\n"
            )
            yardstick = 0.0
            for label, (command, call) in calls_on(store, durability).items():
                us = await worked_us(redis, command, call, players, calls)
                yardstick = yardstick or us
                sys.stdout.write(f"{label:16}{us:>7.1f} us of the server{us / yardstick:>7.2f}\n")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        valkey = ValkeyProcess(Path(folder))
        valkey.start()
        try:
            asyncio.run(measure(valkey, Path(folder), options.players, options.calls))
        finally:
            valkey.stop()


if __name__ == "__main__":
    main()
