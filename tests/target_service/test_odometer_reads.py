"""The hot key: how often Redis is read for polls, by its own counters, and what polls are told."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from durable_service import Durable, durable_service, eventually
from event_service import EventService
from event_service import now_ms as event_now_ms
from odometer_events import OPENS_MS, configuration, race, settings, tables_in
from odometer_polls import Polled, poll, total_reads
from prometheus_client import CollectorRegistry
from service_process import PATIENCE_SECONDS
from valkey_process import ValkeyProcess

from target_service.ledger.bounded_queue import ReadQueue
from target_service.ledger.errors import LedgerClosed
from target_service.odometer.event import State
from target_service.odometer.projector import Projector
from target_service.odometer.series import OdometerSeries
from target_service.odometer.totals import Copy, Totals, _Kept, storing
from target_service.redis.connection import connector
from target_service.redis.pipeline import Pipeline
from target_service.timestamps import rfc3339

HOUR_MS = 3_600_000
REFRESH_MS = 200
POLLS = 600


@contextmanager
def _polled(valkey: ValkeyProcess, folder: Path, **variables: str) -> Iterator[Durable]:
    """A service with an event of five miles that Redis has."""
    with durable_service("naive", valkey, folder, **variables) as durable:
        now_ms = time.time_ns() // 1_000_000
        body = settings(now_ms - HOUR_MS, now_ms + HOUR_MS, refresh_ms=REFRESH_MS)
        durable.http.put("/v1/events/e", json=body).raise_for_status()
        durable.http.post("/v1/races", json=race("e", "r", now_ms)).raise_for_status()
        assert eventually(lambda: '"total":5' in str(durable.redis.hget("odometer:e", "v2")))
        yield durable


def _poll(durable: Durable) -> tuple[Polled, int]:
    before = total_reads(durable.redis)
    polled = poll(durable.service.port, "/v2/events/e", 8, lambda answers, _: answers >= POLLS)
    return polled, total_reads(durable.redis) - before


def test_directly_every_poll_reads_the_key(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """As many reads as polls, in the server's counters and in ours."""
    with _polled(own_valkey, tmp_path, HOTBOARD_ODOMETER_READS="direct") as durable:
        polled, reads = _poll(durable)

        assert (polled.answers, reads) == (POLLS, POLLS)
        assert durable.sample("odometer_reads_total", "redis") == POLLS


def test_projected_the_interval_bounds_the_reads(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """At most workers ÷ interval, however many poll; everybody else is told this worker's copy."""
    counts = str(tmp_path / "counts")
    with _polled(
        own_valkey, tmp_path, HOTBOARD_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=counts
    ) as durable:
        polled, reads = _poll(durable)
        at_most = 2 * (polled.seconds * 1_000 / REFRESH_MS + 1)

        assert polled.answers == POLLS
        assert reads <= at_most
        told = {name: durable.sample("odometer_reads_total", name) for name in ("cache", "redis")}
        assert told["cache"] > POLLS - at_most


def test_without_redis_everything_goes_on(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Deliveries apply, polls are told the ledger's total; afterwards Redis has it again."""
    with _polled(own_valkey, tmp_path) as durable:
        own_valkey.stop()
        body = race("e", "s", time.time_ns() // 1_000_000)
        posted = durable.http.post("/v1/races", json=body)

        def told() -> int:
            return int(durable.http.get("/v2/events/e").json()["total"])

        assert (posted.status_code, posted.json()["counts"]["counted"]) == (200, 1)
        assert eventually(lambda: told() == 10)
        assert durable.sample("odometer_reads_total", "ledger") >= 1
        assert durable.http.get("/v2/events/e/players/ann").json()["contribution"] == 10
        own_valkey.start()
        assert eventually(lambda: '"total":10' in str(durable.redis.hget("odometer:e", "v2")))
        assert told() == 10


def _copy(as_of_ms: int, text: bytes = b"{}") -> Copy:
    return Copy(as_of_ms, 60_000, is_final=False, v1=text, v2=text)


async def _with_totals(
    valkey: ValkeyProcess,
    folder: Path,
    use: Callable[[Totals, Pipeline], object],
    now_ms: Callable[[], int] = lambda: OPENS_MS,
) -> None:
    with tables_in(folder) as tables:
        tables.make("e", configuration())
        questions = ReadQueue("reader", tables.store)
        questions.start()
        pipeline = Pipeline(connector(valkey.url(), PATIENCE_SECONDS), PATIENCE_SECONDS)
        pipeline.start()
        series = OdometerSeries(CollectorRegistry())
        totals = Totals(pipeline, questions, "projected", series, now_ms)
        totals.ledger_id = "this ledger"
        await use(totals, pipeline)  # type: ignore[misc]  # a coroutine function
        await questions.close()
        await pipeline.stop()


def test_one_fetch_serves_all_who_wait(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """A hundred polls at once read Redis once; a client that leaves takes nothing with it."""

    async def use(totals: Totals, pipeline: Pipeline) -> None:
        await _store(pipeline, _copy(OPENS_MS, b"of Redis"), "this ledger")
        polls = [asyncio.create_task(totals.read("e")) for _ in range(100)]
        await asyncio.sleep(0)
        polls[0].cancel()
        told = await asyncio.gather(*polls[1:])

        assert {copy.v2 for copy in told if copy} == {b"of Redis"}

    asyncio.run(_with_totals(own_valkey, tmp_path, use))
    with own_valkey.client() as client:
        assert total_reads(client) == 1


@pytest.mark.parametrize(
    ("caption", "copy", "ledger_id"),
    [
        ("of another ledger", _copy(OPENS_MS, b"?"), "another ledger"),
        ("older than is allowed", _copy(OPENS_MS - 300_001, b"?"), "this ledger"),
    ],
)
def test_a_copy_that_is_of_no_use_is_passed_over(
    own_valkey: ValkeyProcess, tmp_path: Path, caption: str, copy: Copy, ledger_id: str
) -> None:
    """The ledger is asked instead."""

    async def use(totals: Totals, pipeline: Pipeline) -> None:
        await _store(pipeline, copy, ledger_id)
        told = await totals.read("e")

        assert told is not None, caption
        assert told.as_of_ms == OPENS_MS
        assert b'"total":0' in told.v2
        assert await totals.read("nobody's") is None

    asyncio.run(_with_totals(own_valkey, tmp_path, use))


def test_an_older_copy_never_replaces_a_newer_one(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """Neither a projector that slept past its lease nor a write that got stuck puts it back."""

    async def use(_: Totals, pipeline: Pipeline) -> None:
        await _store(pipeline, _copy(OPENS_MS, b"new"), "this ledger", token=2)
        await _store(pipeline, _copy(OPENS_MS - 1, b"stuck"), "this ledger", token=2)
        await _store(pipeline, _copy(OPENS_MS - 1, b"of a sleeper"), "this ledger", token=1)

    asyncio.run(_with_totals(own_valkey, tmp_path, use))
    with own_valkey.client() as client:
        assert client.hget("odometer:e", "v2") == "new"
        assert 0 < client.ttl("odometer:e") <= 3_600


def test_totals_go_on_when_the_clock_was_set_back(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """In Redis, whose copy is of a later time, and in a worker that has it already."""
    now_ms = OPENS_MS + HOUR_MS

    async def use(totals: Totals, pipeline: Pipeline) -> None:
        nonlocal now_ms
        await _store(pipeline, _copy(now_ms, b"before")._replace(refresh_ms=0), "this ledger")
        told = [await totals.read("e")]
        now_ms = OPENS_MS
        told.append(await totals.read("e"))
        await _store(pipeline, _copy(now_ms, b"after"), "this ledger", token=2)

        assert [copy.as_of_ms for copy in told if copy] == [OPENS_MS + HOUR_MS, OPENS_MS]

    asyncio.run(_with_totals(own_valkey, tmp_path, use, lambda: now_ms))
    with own_valkey.client() as client:
        assert client.hget("odometer:e", "v2") == "after"


@pytest.mark.parametrize("what", ["text", "list", "part", "words"])
def test_whatever_else_has_the_name_makes_room(
    own_valkey: ValkeyProcess, tmp_path: Path, what: str
) -> None:
    """Polls are told what the ledger says, and the next projection puts it right."""

    async def use(totals: Totals, pipeline: Pipeline) -> None:
        with own_valkey.client() as client:
            made = {
                "text": lambda: client.set("odometer:e", "?"),
                "list": lambda: client.rpush("odometer:e", "?"),
                "part": lambda: client.hset("odometer:e", "ledger", "this ledger"),
                "words": lambda: client.hset(
                    "odometer:e", mapping={"ledger": "this ledger", "as_of_ms": "?", "token": "?"}
                ),
            }
            made[what]()
            told = await totals.read("e")
            assert told is not None
            assert b'"total":0' in told.v2
            await _store(pipeline, _copy(OPENS_MS, b"right"), "this ledger")
            assert client.hget("odometer:e", "v2") == "right"

    asyncio.run(_with_totals(own_valkey, tmp_path, use))


@pytest.mark.parametrize(
    ("age", "until_the_next"), [(0, 1.05), (0.1, 1), (0.2, 1), (0.5, 1.55), (1, 1.05), (1.5, 0.55)]
)
def test_the_next_fetch_is_counted_from_the_moment_of_the_copy(
    age: float, until_the_next: float
) -> None:
    """Just after a newer one must be there, an interval from now at least if it is in time."""
    unused: Any = None
    series = OdometerSeries(CollectorRegistry())
    totals = Totals(unused, unused, "projected", series, lambda: OPENS_MS)
    kept = _Kept()
    totals._take("e", kept, _copy(OPENS_MS - round(age * 60_000)), fetched_at=600.0)

    assert kept.fetch_at == pytest.approx(600 + 60 * until_the_next)


def test_an_end_is_told_as_freshly_as_what_was_before(service: EventService) -> None:
    """Also seconds after it, when Redis is told of the event only now and then."""
    refresh_ms, slack_ms = 100, 250
    closes_ms = event_now_ms() + 200
    event_id = service.make(
        closes_at=rfc3339(closes_ms), opens_at=rfc3339(0), grace_seconds=0, refresh_ms=refresh_ms
    )
    path = f"/v2/events/{event_id}"
    assert eventually(lambda: service.get(path)["final"] is not None)
    ages_ms = []
    while event_now_ms() < closes_ms + 1_500:
        as_of = datetime.fromisoformat(service.get(path)["as_of"])
        ages_ms.append(event_now_ms() - round(as_of.timestamp() * 1_000))
        time.sleep(0.02)

    assert max(ages_ms) <= 2 * refresh_ms + slack_ms


def test_no_total_is_old_once_all_events_have_ended(tmp_path: Path) -> None:
    """The moment is told while a total can change, and 0 from then on."""
    series = OdometerSeries(CollectorRegistry())
    unused: Any = None
    projector = Projector(unused, unused, unused, series, "", "", lambda: OPENS_MS)
    told = []
    with tables_in(tmp_path) as tables:
        event = tables.make("e", configuration())
        for state in (State.CLOSING, State.CLOSED):
            projector._tell_as_of([msgspec.structs.replace(event, state=state)], OPENS_MS)
            told.append(series.as_of._value.get())

    assert told == [OPENS_MS / 1_000, 0]


def test_an_end_at_hand_is_told_without_the_ledger(
    own_valkey: ValkeyProcess, tmp_path: Path
) -> None:
    """It can change no more; a total that could is not told when it is old."""
    now_ms = OPENS_MS

    async def use(totals: Totals, pipeline: Pipeline) -> None:
        nonlocal now_ms
        end = _copy(OPENS_MS, b"the end")._replace(is_final=True, refresh_ms=1)
        await _store(pipeline, end._replace(is_final=False), "this ledger")
        await totals._questions.close()
        now_ms += HOUR_MS
        with pytest.raises(LedgerClosed):
            await totals.read("e")
        await _store(pipeline, end, "this ledger", token=2)
        assert await totals.read("e") == end

    asyncio.run(_with_totals(own_valkey, tmp_path, use, lambda: now_ms))


def test_an_event_is_found_as_soon_as_it_is_made(service: EventService) -> None:
    """Also by whoever had just been told that there is none."""
    http = service.durable.http
    for version in (1, 2):
        path = f"/v{version}/events/{(event_id := uuid4().hex)}"
        assert http.get(path).status_code == 404
        http.put(f"/v1/events/{event_id}", json=settings()).raise_for_status()
        assert http.get(path).status_code == 200


async def _store(pipeline: Pipeline, copy: Copy, ledger_id: str, token: int = 1) -> None:
    await pipeline.run((storing("e", copy, ledger_id, token),))
