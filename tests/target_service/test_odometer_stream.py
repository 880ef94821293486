"""Deliveries over the stream: at least once in, once counted, nothing left behind."""

import asyncio
import json
from pathlib import Path

import pytest
from odometer_events import OPENS_MS, configuration, tables_in
from odometer_proof import prove
from redis import Redis
from stream_consumers import Consumers, add, body, consume, until_empty
from valkey_process import ValkeyProcess

from target_service.odometer.stream import NoStream


def test_one_or_many_in_an_entry(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Each counts once, redeliveries of entries and races included; the stream is left empty."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        for sent in (body("1"), [body("2"), body("3")], [body("1"), body("4")]):
            add(redis, sent)
            add(redis, sent)
        await until_empty(consumers("a"))

        assert redis.xlen("races") == 0
        assert redis.xpending("races", "odometer")["pending"] == 0

    tables = consume(own_valkey, tmp_path, use)
    ways = tables.connection.execute("SELECT DISTINCT way FROM odometer_lake").fetchall()
    assert (tables.event("e").total, tables.lake(), ways) == (20, 10, [("stream",)])
    tables.close()


def test_nothing_is_made_before_a_producer_comes(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """A service without a stream leaves no key behind; what was added before it came counts."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        with pytest.raises(NoStream):
            await consumers("a").look()
        assert redis.exists("races") == 0
        add(redis, body("early"))
        await until_empty(consumers("a"))

    tables = consume(own_valkey, tmp_path, use)
    assert tables.event("e").total == 5
    tables.close()


def test_what_a_dead_consumer_left_is_taken_over(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Applied or not when it died, each counts once; the dead one is forgotten in time."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        for number in range(5):
            add(redis, body(str(number)))
        redis.xgroup_create("races", "odometer", "0")
        redis.xreadgroup("odometer", "dead", {"races": ">"}, count=4)
        assert redis.xpending("races", "odometer")["pending"] == 4
        await asyncio.sleep(0.01)
        await until_empty(consumers("b"))

        assert redis.xpending("races", "odometer")["pending"] == 0

    tables = consume(own_valkey, tmp_path, use)
    assert (tables.event("e").total, tables.lake()) == (25, 5)
    tables.close()


def test_what_is_no_race_does_not_come_again(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """It is kept with its reason and acknowledged; the races around it count."""
    poison: dict[str, object] = {
        "must be JSON": "{",
        "amounts.miles must be an integer": body("p", amounts={"miles": 0}),
        "is missing, and is what event e counts": body("p", amounts={"wins": 1}),
    }

    async def use(consumers: Consumers, redis: Redis) -> None:
        add(redis, body("before"))
        for sent in poison.values():
            add(redis, sent)
        redis.xadd("races", {"colour": "red"})
        add(redis, body("after"))
        await until_empty(consumers("a"))
        assert redis.xlen("races") == 0

    tables = consume(own_valkey, tmp_path, use)
    rows = tables.connection.execute("SELECT reason, payload FROM odometer_rejected ORDER BY id")
    found = rows.fetchall()
    assert tables.event("e").total == 10
    assert len(found) == 4
    for (reason, payload), (expected, sent) in zip(found, poison.items(), strict=False):
        assert expected in reason
        assert payload == (sent if isinstance(sent, str) else json.dumps(sent))
    tables.close()


def test_a_bad_race_leaves_those_around_it_alone(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """A hundred good ones count; of each bad one the reason and the whole text are kept."""
    bad: dict[str, object] = {
        "amounts.miles must be an integer from 1": body("p", amounts={"miles": 0}),
        "amounts.miles is missing, and is what event e counts": body("p", amounts={"wins": 1}),
        "player_id is missing": {"event_id": "e", "race_id": "p"},
        "colour is not a field of a race": body("p", colour="red" * 5_000),
        "body must be UTF-8": body("p", player_id="\ufffd"),
        "body must be an object": [body("p")],
        "body must be a JSON object": 7,
    }
    good = [body(str(number)) for number in range(100)]
    texts = [json.dumps(one, ensure_ascii=False) for one in [*good[:50], *bad.values(), *good[50:]]]

    async def use(consumers: Consumers, redis: Redis) -> None:
        add(redis, f"[ {' , '.join(texts)} ]")
        add(redis, json.dumps([7] * 1_001))
        add(redis, f"[{texts[0]}")
        await until_empty(consumers("a"))
        assert redis.xlen("races") == 0

    tables = consume(own_valkey, tmp_path, use)
    rows = tables.connection.execute("SELECT reason, payload FROM odometer_rejected ORDER BY id")
    *found, (reason, whole), (broken, _) = rows.fetchall()
    assert (tables.event("e").total, tables.lake()) == (500, 100)
    assert [payload for _, payload in found] == texts[50:-50]
    for (told, _), expected in zip(found, bad, strict=True):
        assert expected in told
    assert "body must hold at most 1,000" in reason
    assert json.loads(whole) == [7] * 1_001
    assert "body must be JSON" in broken
    tables.close()


def test_a_race_waits_for_its_event(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """It counts once the event is made; ten minutes later it is refused, and kept whole."""
    now_ms = OPENS_MS
    early = [body("1", event_id="later"), body("2", event_id="later", amounts={"wins": 1})]
    never = body("3", event_id="never")

    async def use(consumers: Consumers, redis: Redis) -> None:
        nonlocal now_ms
        add(redis, [body("now"), *early, never])
        await until_empty(consumers("a"))
        assert redis.xlen("races") == 0
        with tables_in(tmp_path) as tables:
            assert tables.event("e").total == 5
            now_ms += 599_999
            tables.make("later", configuration())
            await until_empty(consumers("b"))
            assert tables.event("later").total == 5
            now_ms += 1
            await until_empty(consumers("c"))

    tables = consume(own_valkey, tmp_path, use, lambda: now_ms)
    rows = tables.connection.execute("SELECT reason, payload FROM odometer_rejected ORDER BY id")
    found = [(reason, json.loads(payload)) for reason, payload in rows.fetchall()]
    (left,) = tables.connection.execute("SELECT count(*) FROM odometer_waiting").fetchone()
    assert found == [
        ("amounts.miles is missing, and is what event later counts", early[1]),
        ("event_id names no event, and none was made in the 10 minutes since", never),
    ]
    assert (tables.event("later").total, tables.lake(), left) == (5, 2, 0)
    tables.close()


def test_a_consumer_leaves_the_group(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """With nothing pending its name goes with it; what is pending stays for the others."""

    async def use(consumers: Consumers, redis: Redis) -> None:
        add(redis, body("1"))
        tidy, hasty = consumers("tidy"), consumers("hasty")
        await until_empty(tidy)
        add(redis, body("2"))
        redis.xreadgroup("odometer", "hasty", {"races": ">"})
        await tidy.leave()
        await hasty.leave()
        left = redis.xinfo_consumers("races", "odometer")

        assert [(one["name"], one["pending"]) for one in left] == [("hasty", 1)]

    consume(own_valkey, tmp_path, use).close()


def test_nothing_is_lost_while_everything_dies(tmp_path: Path) -> None:
    """Both ways in, services killed at random, Redis killed once: equal to the unit."""
    proof = prove(tmp_path, deliveries=6_000, races=4_000, kill_every_seconds=0.3)

    assert proof.kills >= 2
    assert proof.expected == proof.told_total == proof.lake_total == proof.contributions_total
    assert (proof.counted_rows, proof.counted_races, proof.wrong_players) == (4_000, 4_000, 0)
    assert proof.lake_deliveries >= 6_000
