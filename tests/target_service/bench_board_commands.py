"""What one board of many players costs the server: time per command, memory per player.

The long form:

    .venv/bin/python tests/target_service/bench_board_commands.py --players 1000000

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

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from ranked_worker import load, name, worker
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.leaderboard.key_commands import AROUND, STANDING, Store
from target_service.ledger import events
from target_service.projection.durability import Durability
from target_service.redis.commands import Command, Uncounted, pack

_SCORES = 1_000_000
_BATCH = 500
# A batch does as much as this many calls, so that fewer of them are enough.
_CALLS_PER_BATCH = 50
Call = Callable[[int, int], Awaitable[object]]


class BoardCalls:
    """What a worker asks of one board that holds every player."""

    def __init__(self, store: Store, durability: Durability, players: int) -> None:
        self._store = store
        self._durability = durability
        self._players = players
        (self._key,) = store.boards.keys_of()
        self._own = store.commands[self._key]
        self._homes = store.boards.of()
        self._numbers = count()

    async def zrevrank(self, player: int, _score: int) -> object:
        """A player's place, by the plain command."""
        return await self._run(Command(pack("ZREVRANK", self._key, name(player)), Uncounted()))

    async def write(self, player: int, score: int) -> object:
        """One score, in the ledger and then on the board."""
        event = events.Event(self._event_id(), name(player), self._home(player), score)
        version = (await self._durability.ledger.submit(event)).version or 0
        deadline = self._store.deadline()
        return await self._durability.projection.write_score(
            self._key, name(player), score, version, deadline
        )

    async def write_many(self, player: int, score: int) -> object:
        """Scores of one game server's players, all at once."""
        homes, rng = len(self._homes), random.Random(player)
        drawn = [rng.randrange(self._players // homes) for _ in range(_BATCH)]
        names = [name(number * homes + player % homes) for number in drawn]
        ids, scores = [self._event_id() for _ in names], [score] * _BATCH
        batch = events.Batch(self._home(player), ids, names, scores)
        stored = await self._durability.ledger.submit_batch(batch)
        deadline = self._store.deadline()
        return await self._durability.projection.write_scores(
            self._key, names, scores, stored.versions, deadline
        )

    async def around(self, player: int, _score: int) -> object:
        """A page of five around a player."""
        command = self._own.around(name(player), 2)
        return await AROUND.run(self._store.pipeline, (command,), self._store.deadline())

    async def standing(self, player: int, _score: int) -> object:
        """The first step of an exact rank."""
        command = self._own.standing(name(player))
        return await STANDING.run(self._store.pipeline, (command,), self._store.deadline())

    async def above(self, _player: int, score: int) -> object:
        """The second step of an exact rank, on each other board."""
        return await self._run(self._own.count_above(str(score)))

    async def version(self, _player: int, _score: int) -> object:
        """What an exact rank asks each board before and after."""
        return await self._run(self._store.board_marks[self._key])

    async def top(self, _player: int, _score: int) -> object:
        """The first ten."""
        return await self._run(self._own.top(10))

    async def _run(self, command: Command) -> object:
        return await self._store.pipeline.run((command,))

    def _home(self, player: int) -> events.Board:
        home = self._homes[player % len(self._homes)]
        return events.Board(home.season, home.partition)

    def _event_id(self) -> str:
        return f"write-{next(self._numbers)}"


async def worked_us(redis: Redis, command: str, call: Call, players: int, calls: int) -> float:
    """The server's time for one call, by its statistics of that command."""
    rng = random.Random(5)
    # The server knows the script from here on.
    await call(0, 0)
    redis.config_resetstat()
    for _ in range(calls):
        await call(rng.randrange(players), rng.randrange(_SCORES))
    return float(redis.info("commandstats")[f"cmdstat_{command}"]["usec_per_call"])


async def compare(board: BoardCalls, redis: Redis, players: int, calls: int) -> None:
    """Print a line for each command."""
    yardstick = await worked_us(redis, "zrevrank", board.zrevrank, players, calls)
    many_us = await worked_us(
        redis, "evalsha", board.write_many, players, max(1, calls // _CALLS_PER_BATCH)
    )
    worked = {"ZREVRANK": yardstick, f"one of {_BATCH} writes": many_us / _BATCH}
    others: dict[str, tuple[str, Call]] = {
        "guarded write": ("evalsha", board.write),
        "around-me page": ("evalsha", board.around),
        "own standing": ("evalsha", board.standing),
        "count above": ("zcount", board.above),
        "version": ("hmget", board.version),
        "top 10": ("zrevrange", board.top),
    }
    for label, (command, call) in others.items():
        worked[label] = await worked_us(redis, command, call, players, calls)
    for label, us in worked.items():
        sys.stdout.write(f"{label:18}{us:>7.1f} us of the server{us / yardstick:>7.2f}\n")


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
            await compare(BoardCalls(store, durability, players), redis, players, calls)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
