"""Consumers of the stream `races`, and deliveries over it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from odometer_events import OPENS_MS, Json, Tables, configuration, race
from prometheus_client import CollectorRegistry
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.ledger.bounded_queue import GroupCommit, ReadQueue
from target_service.odometer.consumer import Consumer
from target_service.odometer.deliveries import Done, Order
from target_service.odometer.intake import Intake
from target_service.odometer.series import OdometerSeries
from target_service.odometer.serving import Serve
from target_service.odometer.stream import Stream
from target_service.redis.connection import connector
from target_service.redis.pipeline import Pipeline

Consumers = Callable[[str], Consumer]
PATIENCE_SECONDS = 60.0


def consume(
    valkey: ValkeyProcess,
    folder: Path,
    use: Callable[[Consumers, Redis], Awaitable[None]],
    now_ms: Callable[[], int] = lambda: OPENS_MS,
) -> Tables:
    """Run what uses consumers of one intake; return the tables, to be closed."""
    tables = Tables(folder / "ledger.db")
    tables.make("e", configuration())

    async def scenario() -> None:
        questions = ReadQueue("reader", tables.store)
        group_commit = GroupCommit[Order, Done]("writer", tables.store, Serve(now_ms))
        questions.start()
        group_commit.start()
        pipeline = Pipeline(connector(valkey.url(), PATIENCE_SECONDS), PATIENCE_SECONDS)
        pipeline.start()
        intake = Intake(group_commit, questions, OdometerSeries(CollectorRegistry()), now_ms)
        with valkey.client() as redis:
            await use(lambda name: Consumer(Stream(pipeline, name), intake, 0), redis)
        await group_commit.close()
        await questions.close()
        await pipeline.stop()

    asyncio.run(scenario())
    return tables


def add(redis: Redis, value: object) -> None:
    """Add an entry with this body."""
    redis.xadd("races", {"races": value if isinstance(value, str) else json.dumps(value)})


def body(race_id: str, **changed: object) -> Json:
    """A race of the event, inside its window."""
    return race("e", race_id, OPENS_MS) | changed


async def until_empty(consumer: Consumer) -> None:
    """Look until nothing comes; the first look makes the group."""
    await consumer.look()
    while await consumer.look():
        pass


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until it is so; it has to become so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_so():  # noqa: ASYNC110 - what is waited for happens in other processes
            await asyncio.sleep(0.01)
