"""A worker's ledger and boards inside the program that measures them, without HTTP."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from target_service.leaderboard.boards import Boards
from target_service.leaderboard.key_commands import KeyCommands, Store
from target_service.ledger import events
from target_service.ledger.events import Batch
from target_service.metrics import Metrics
from target_service.projection.durability import Durability
from target_service.redis.connection import connector
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings

_BATCH = 5_000
_TIMEOUT_SECONDS = 30.0


def name(player: int) -> str:
    """The id of a player."""
    return f"player-{player:07d}"


@asynccontextmanager
async def worker(
    mode: Literal["naive", "partitioned"], url: str, folder: Path
) -> AsyncIterator[tuple[Store, Durability]]:
    """What a worker has: boards on the server, and a ledger that they follow."""
    settings = Settings(
        mode=mode,
        redis_url=url,
        ledger_path=folder / "ledger.db",
        ledger_sync="normal",
    )
    boards, metrics = Boards(settings), Metrics()
    pipeline = Pipeline(connector(url, _TIMEOUT_SECONDS), _TIMEOUT_SECONDS)
    pipeline.start()
    durability = Durability(settings, boards, pipeline, metrics)
    await durability.start()
    commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}
    marks = durability.board_marks
    yield (
        Store(boards, commands, pipeline, durability.freshness, marks),
        durability,
    )
    await durability.stop()
    await pipeline.stop()


async def load(store: Store, durability: Durability, players: int) -> None:
    """Store every player's score, in the ledger and on the board of their home."""
    rng = random.Random(1)
    boards = store.boards.of()
    for at, board in enumerate(boards):
        own = range(at, players, len(boards))
        for start in range(0, len(own), _BATCH):
            ids = [name(player) for player in own[start : start + _BATCH]]
            scores = [rng.randrange(1_000_000) for _ in ids]
            home = events.Board(board.season, board.partition)
            stored = await durability.ledger.submit_batch(Batch(home, ids, ids, scores))
            await durability.projection.write_scores(
                board.key, ids, scores, stored.versions, store.deadline()
            )
