"""Deliveries over the stream: at least once in, once counted, nothing left behind."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from odometer_events import OPENS_MS, Json, Tables, configuration, race
from odometer_proof import prove
from prometheus_client import CollectorRegistry
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.ledger.desk import Desk
from target_service.ledger.questions import Questions
from target_service.odometer.consumer import Consumer
from target_service.odometer.intake import Intake
from target_service.odometer.orders import Done, Order
from target_service.odometer.series import OdometerSeries
from target_service.odometer.serving import Serve
from target_service.odometer.stream import NoStream, Stream
from target_service.redis_wire.connection import connector
from target_service.redis_wire.pipeline import Pipeline

Consumers = Callable[[str], Consumer]


def _consume(
    valkey: ValkeyProcess, folder: Path, use: Callable[[Consumers, Redis], Awaitable[None]]
) -> Tables:
    """Run what uses consumers of one intake; return the tables, to be closed."""
    tables = Tables(folder / "ledger.db")
    tables.make("e", configuration())

    async def scenario() -> None:
        questions = Questions("reader", tables.store)
        desk = Desk[Order, Done]("writer", tables.store, Serve(lambda: OPENS_MS))
        questions.start()
        desk.start()
        pipeline = Pipeline(connector(valkey.url(), 5.0), 5.0)
        pipeline.start()
        intake = Intake(desk, questions, OdometerSeries(CollectorRegistry()))
        with valkey.client() as redis:
            await use(lambda name: Consumer(Stream(pipeline, name), intake, 0), redis)
        await desk.close()
        await questions.close()
        await pipeline.stop()

    asyncio.run(scenario())
    return tables


def _add(redis: Redis, body: object) -> None:
    redis.xadd("races", {"races": body if isinstance(body, str) else json.dumps(body)})


def _body(race_id: str, **changed: object) -> Json:
    return race("e", race_id, OPENS_MS) | changed


async def _until_empty(consumer: Consumer) -> None:
    """Look until nothing comes; the first look makes the group."""
    await consumer.look()
    while await consumer.look():
        pass


def test_one_or_many_in_an_entry(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Each counts once, redeliveries of entries and races included; the stream is left empty."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        for body in (_body("1"), [_body("2"), _body("3")], [_body("1"), _body("4")]):
            _add(redis, body)
            _add(redis, body)
        await _until_empty(consumers("a"))

        assert redis.xlen("races") == 0
        assert redis.xpending("races", "odometer")["pending"] == 0

    tables = _consume(own_valkey, tmp_path, use)
    ways = tables.connection.execute("SELECT DISTINCT way FROM odometer_lake").fetchall()
    assert (tables.event("e").total, tables.lake(), ways) == (20, 10, [("stream",)])
    tables.close()


def test_nothing_is_made_before_a_producer_comes(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """A service without a stream leaves no key behind; what was added before it came counts."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        with pytest.raises(NoStream):
            await consumers("a").look()
        assert redis.exists("races") == 0
        _add(redis, _body("early"))
        await _until_empty(consumers("a"))

    tables = _consume(own_valkey, tmp_path, use)
    assert tables.event("e").total == 5
    tables.close()


def test_what_a_dead_consumer_left_is_taken_over(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Applied or not when it died, each counts once; the dead one is forgotten in time."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        for number in range(5):
            _add(redis, _body(str(number)))
        redis.xgroup_create("races", "odometer", "0")
        redis.xreadgroup("odometer", "dead", {"races": ">"}, count=4)
        assert redis.xpending("races", "odometer")["pending"] == 4
        await asyncio.sleep(0.01)
        await _until_empty(consumers("b"))

        assert redis.xpending("races", "odometer")["pending"] == 0

    tables = _consume(own_valkey, tmp_path, use)
    assert (tables.event("e").total, tables.lake()) == (25, 5)
    tables.close()


def test_what_is_no_race_does_not_come_again(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """It is kept with its reason and acknowledged; the races around it count."""
    poison: dict[str, object] = {
        "must be JSON": "{",
        "amounts.miles must be an integer": _body("p", amounts={"miles": 0}),
        "names no event": _body("p", event_id="none"),
        "is missing, and is what event e counts": _body("p", amounts={"wins": 1}),
    }

    async def use(consumers: Consumers, redis: Redis) -> None:
        _add(redis, _body("before"))
        for body in poison.values():
            _add(redis, body)
        redis.xadd("races", {"colour": "red"})
        _add(redis, _body("after"))
        await _until_empty(consumers("a"))
        assert redis.xlen("races") == 0

    tables = _consume(own_valkey, tmp_path, use)
    rows = tables.connection.execute("SELECT reason, payload FROM odometer_rejected ORDER BY id")
    found = rows.fetchall()
    assert tables.event("e").total == 10
    assert len(found) == 5
    for (reason, payload), (expected, body) in zip(found, poison.items(), strict=False):
        assert expected in reason
        assert payload == (body if isinstance(body, str) else json.dumps(body))
    tables.close()


def test_broken_text_holds_nobody_up(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Half a surrogate pair, bytes that are no UTF-8, the field twice: kept, each with a reason."""
    bad_bytes = json.dumps(_body("p", player_id="@")).encode().replace(b"@", b"\xff")

    async def use(consumers: Consumers, redis: Redis) -> None:
        _add(redis, _body("before"))
        _add(redis, '{"\\ud800": 1}')
        redis.xadd("races", {"races": bad_bytes})
        redis.execute_command("XADD", "races", "*", "races", "one", "races", "two")  # type: ignore[no-untyped-call]  # redis-py leaves it bare
        _add(redis, _body("after"))
        await _until_empty(consumers("a"))
        assert redis.xlen("races") == 0

    tables = _consume(own_valkey, tmp_path, use)
    rows = tables.connection.execute("SELECT reason, payload FROM odometer_rejected ORDER BY id")
    (surrogate, _), (no_utf8, _), twice = rows.fetchall()
    assert tables.event("e").total == 10
    assert "? is not a field of a race" in surrogate
    assert "body must be UTF-8" in no_utf8
    assert twice == ("races must be a field of the entry, once", "races one races two")
    tables.close()


def test_a_read_under_way_is_not_forgotten_with_its_reader(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """Looking for what is pending and leaving are one step, so no read comes in between."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        _add(redis, _body("1"))
        await _until_empty(consumers("other"))
        leaving = consumers("leaving")
        await leaving.look()
        before = redis.info("commandstats")
        await leaving.leave()
        after = redis.info("commandstats")
        sent = {name for name in after if after[name]["calls"] != before.get(name, {}).get("calls")}

        assert {"cmdstat_eval", "cmdstat_xpending", "cmdstat_xgroup|delconsumer"} <= sent
        assert [one["name"] for one in redis.xinfo_consumers("races", "odometer")] == ["other"]

    _consume(own_valkey, tmp_path, use).close()


def test_a_consumer_leaves_the_group(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """With nothing pending its name goes with it; what is pending stays for the others."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        _add(redis, _body("1"))
        tidy, hasty = consumers("tidy"), consumers("hasty")
        await _until_empty(tidy)
        _add(redis, _body("2"))
        redis.xreadgroup("odometer", "hasty", {"races": ">"})
        await tidy.leave()
        await hasty.leave()
        left = redis.xinfo_consumers("races", "odometer")

        assert [(one["name"], one["pending"]) for one in left] == [("hasty", 1)]

    _consume(own_valkey, tmp_path, use).close()


def test_nothing_is_lost_while_everything_dies(tmp_path: Path) -> None:
    """Both ways in, services killed at random, Redis killed once: equal to the unit."""
    proof = prove(tmp_path, deliveries=6_000, races=4_000, kill_every_seconds=0.3)

    assert proof.kills >= 2
    assert proof.expected == proof.told_total == proof.lake_total == proof.contributions_total
    assert (proof.counted_rows, proof.counted_races, proof.wrong_players) == (4_000, 4_000, 0)
    assert proof.lake_deliveries >= 6_000
