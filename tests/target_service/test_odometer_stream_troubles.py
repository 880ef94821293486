"""The stream when something is wrong with it: told, kept, and in nobody's way."""

import asyncio
import json
import logging
from pathlib import Path

import pytest
from redis import Redis
from stream_consumers import PATIENCE_SECONDS, Consumers, add, body, consume, until, until_empty
from valkey_process import ValkeyProcess

from target_service.odometer import consumer as odometer_consumer
from target_service.redis.commands import RedisUnavailable


def test_broken_text_holds_nobody_up(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Half a surrogate pair, bytes that are no UTF-8, the field twice: kept, each with a reason."""
    bad_bytes = json.dumps(body("p", player_id="@")).encode().replace(b"@", b"\xff")

    async def use(consumers: Consumers, redis: Redis) -> None:
        add(redis, body("before"))
        add(redis, '{"\\ud800": 1}')
        redis.xadd("races", {"races": bad_bytes})
        redis.execute_command("XADD", "races", "*", "races", "one", "races", "two")  # type: ignore[no-untyped-call]  # redis-py leaves it bare
        add(redis, body("after"))
        await until_empty(consumers("a"))
        assert redis.xlen("races") == 0

    tables = consume(own_valkey, tmp_path, use)
    rows = tables.connection.execute("SELECT reason, payload FROM odometer_rejected ORDER BY id")
    (surrogate, _), (no_utf8, _), twice = rows.fetchall()
    assert tables.event("e").total == 10
    assert "? is not a field of a race" in surrogate
    assert "body must be UTF-8" in no_utf8
    assert twice == ("races must be a field of the entry, once", "races one races two")
    tables.close()


def test_entries_too_large_to_come_together_come_one_by_one(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """A reply that does not come leaves them pending; fewer are asked for then."""
    failures = 0

    async def use(consumers: Consumers, redis: Redis) -> None:
        nonlocal failures
        # The server hangs up on whoever is to be sent more than that.
        redis.config_set("client-output-buffer-limit", "normal 300kb 0 0")
        for number in range(40):
            add(redis, f"{number}{'?' * 20_000}")
        consumer = consumers("a")
        async with asyncio.timeout(PATIENCE_SECONDS):
            while redis.xlen("races"):
                try:
                    await consumer.look()
                except RedisUnavailable:
                    failures += 1
                await asyncio.sleep(0.01)

    tables = consume(own_valkey, tmp_path, use)
    (kept,) = tables.connection.execute("SELECT count(*) FROM odometer_rejected").fetchone()
    assert kept >= 40
    assert failures > 0
    tables.close()


def test_a_stream_that_is_none_is_told_once(
    own_valkey: ValkeyProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A key of another type is left to the producers; what they add afterwards counts."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        redis.set("races", "theirs")
        keeping = asyncio.create_task(consumers("a").keep())
        await until(lambda: bool(caplog.messages))
        await asyncio.sleep(0.6)
        redis.delete("races")
        add(redis, body("1"))
        await until(lambda: redis.xlen("races") == 0)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)

    with caplog.at_level(logging.WARNING, logger=odometer_consumer.__name__):
        tables = consume(own_valkey, tmp_path, use)
    (told,) = caplog.messages
    assert told.startswith("The stream races cannot be read; it is tried again: WRONGTYPE")
    assert tables.event("e").total == 5
    tables.close()


def test_a_read_under_way_is_not_forgotten_with_its_reader(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """Looking for what is pending and leaving are one step, so no read comes in between."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        add(redis, body("1"))
        await until_empty(consumers("other"))
        leaving = consumers("leaving")
        await leaving.look()
        before = redis.info("commandstats")
        await leaving.leave()
        after = redis.info("commandstats")
        sent = {name for name in after if after[name]["calls"] != before.get(name, {}).get("calls")}

        assert {"cmdstat_eval", "cmdstat_xpending", "cmdstat_xgroup|delconsumer"} <= sent
        assert [one["name"] for one in redis.xinfo_consumers("races", "odometer")] == ["other"]

    consume(own_valkey, tmp_path, use).close()
