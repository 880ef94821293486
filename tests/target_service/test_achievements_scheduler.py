"""Which night is swept, when, and what is said of one that is not."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from made_members import make, unlocks, visit
from prometheus_client import CollectorRegistry

from target_service.achievements import scheduler as scheduler_module
from target_service.achievements import sweep as sweep_module
from target_service.achievements.records import Records
from target_service.achievements.scheduler import Nights, Scheduler
from target_service.achievements.series import AchievementSeries
from target_service.ledger.store import Store

BERLIN = Nights(ZoneInfo("Europe/Berlin"), time(3, 15), time(4, 40))
NIGHT = "2026-09-06"
RECONCILED, DUE = "2026-09-06T02:00", "2026-09-06T02:40"
MEMBERS, EVERY = 60, 3


class Clock:
    """A clock that shows what it is set to, in UTC."""

    def __init__(self, shown: str) -> None:
        self.now_ms = 0
        self.set(shown)

    def set(self, shown: str) -> None:
        """Show this minute."""
        moment = datetime.fromisoformat(shown).replace(tzinfo=UTC)
        self.now_ms = int(moment.timestamp()) * 1_000

    def __call__(self) -> int:
        """What it shows."""
        return self.now_ms


class Workers:
    """Two workers' schedulers on one file, under one clock."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.registry = CollectorRegistry()
        series = AchievementSeries(self.registry)
        self.records = Records(path, "normal", clock)
        self.records.open()
        self.schedulers = [
            Scheduler(Store(path, "normal"), self.records, BERLIN, series, clock) for _ in range(2)
        ]

    async def look(self) -> None:
        """Both look at the clock at once, and what they begin ends."""
        await asyncio.gather(*(scheduler.look() for scheduler in self.schedulers))
        for scheduler in self.schedulers:
            await asyncio.gather(*scheduler._running)

    def sample(self, name: str, **labels: str) -> float | None:
        """One sample of a scrape."""
        return self.registry.get_sample_value(name, labels)


Play = Callable[[Callable[[Workers], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def clock() -> Clock:
    """A clock on the evening before."""
    return Clock("2026-09-05T18:00")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Members, a third of whom have reached a level."""
    return make(tmp_path / "ledger.db", MEMBERS, EVERY)


@pytest.fixture
def play(store: Store, clock: Clock, caplog: pytest.LogCaptureFixture) -> Iterator[Play]:
    """Runs a story with both workers; the lines they logged are kept."""

    def run(story: Callable[[Workers], Coroutine[Any, Any, None]]) -> None:
        async def told() -> None:
            workers = Workers(store.path, clock)
            await workers.records.decide_night("2026-09-05", "swept")
            await story(workers)
            for scheduler in workers.schedulers:
                await scheduler.close()
            await workers.records.close()

        asyncio.run(told())

    with (
        caplog.at_level(logging.INFO, logger=sweep_module.__name__),
        caplog.at_level(logging.INFO, logger=scheduler_module.__name__),
    ):
        yield run


def test_a_reconciled_night_is_swept_once_when_it_is_due(
    play: Play, clock: Clock, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Not a minute before 04:40 in Berlin, by one of two workers, and never again that night."""

    async def story(workers: Workers) -> None:
        clock.set(RECONCILED)
        await workers.records.complete_night(NIGHT)
        clock.set("2026-09-06T02:39")
        await workers.look()
        assert [] == unlocks(store)
        clock.set(DUE)
        await workers.look()
        visit(store, [1], 1)
        clock.set("2026-09-06T23:59")
        await workers.look()
        assert MEMBERS == workers.sample("achievements_recounts_total", source="sweep")
        assert MEMBERS == workers.sample("achievements_sweep_members_total", outcome="changed")
        assert MEMBERS // EVERY == workers.sample("achievements_unlocks_total")
        due = datetime.fromisoformat(DUE).replace(tzinfo=UTC).timestamp()
        assert due == workers.sample("achievements_sweep_last_success_timestamp_seconds")

    play(story)

    assert MEMBERS // EVERY == len(unlocks(store))
    (line,) = caplog.messages
    assert line.startswith(
        f"sweep (night {NIGHT}): scanned 60, changed 60, unchanged 0, unlocked 20, "
    )


def test_a_night_without_a_reconcile_is_not_swept_and_says_so(
    play: Play, clock: Clock, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """Due it waits, until the next night's reconcile begins; one line each, by whoever decided."""

    async def story(workers: Workers) -> None:
        for moment in (DUE, "2026-09-06T02:41", "2026-09-07T01:14", "2026-09-07T01:15"):
            clock.set(moment)
            await workers.look()
        await workers.records.complete_night(NIGHT)
        await workers.look()

    play(story)

    assert [] == unlocks(store)
    nobody = "nobody said that the night's reconcile is complete"
    assert caplog.messages == [
        f"sweep (night {NIGHT}): it waits until 2026-09-07T01:15:00.000Z: {nobody}",
        f"sweep (night {NIGHT}): it does not run: {nobody}",
    ]


@pytest.mark.parametrize("said", ["2026-09-06T02:41", "2026-09-07T01:14"])
def test_a_word_that_comes_late_has_the_night_swept_when_it_comes(
    play: Play, clock: Clock, store: Store, caplog: pytest.LogCaptureFixture, said: str
) -> None:
    """A minute after the sweep was due, or the minute before the next night's reconcile."""

    async def story(workers: Workers) -> None:
        clock.set(DUE)
        await workers.look()
        clock.set(said)
        await workers.records.complete_night(NIGHT)
        await workers.look()
        await workers.look()

    play(story)

    assert MEMBERS // EVERY == len(unlocks(store))
    waits, line = caplog.messages
    assert waits.startswith(f"sweep (night {NIGHT}): it waits until ")
    assert line.startswith(f"sweep (night {NIGHT}): scanned 60")


def test_a_word_stands_when_the_clock_is_set_back_behind_it(
    play: Play, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Said again by a clock that shows a time before the reconcile, it has still been said."""

    async def story(workers: Workers) -> None:
        clock.set("2026-09-06T01:15")
        await workers.records.complete_night(NIGHT)
        clock.set("2026-09-06T01:14")
        await workers.records.complete_night(NIGHT)
        clock.set(DUE)
        await workers.look()

    play(story)

    (line,) = caplog.messages
    assert line.startswith(f"sweep (night {NIGHT}): scanned 60")


def test_a_word_before_the_reconcile_begins_covers_no_night(
    play: Play, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever says at 03:14 that it is complete cannot mean this one; said again it counts."""

    async def story(workers: Workers) -> None:
        clock.set("2026-09-06T01:14")
        await workers.records.complete_night(NIGHT)
        clock.set(DUE)
        await workers.look()
        clock.set("2026-09-07T01:14")
        await workers.records.complete_night("2026-09-07")
        clock.set("2026-09-07T01:15")
        await workers.records.complete_night("2026-09-07")
        clock.set("2026-09-07T02:40")
        await workers.look()

    play(story)

    first, second = caplog.messages
    assert first.endswith(
        "its reconcile was said to be complete at 2026-09-06T01:14:00.000Z, "
        "before it begins (2026-09-06T01:15:00.000Z)"
    )
    assert second.startswith("sweep (night 2026-09-07): scanned 60")


def test_a_night_nobody_was_there_for_is_made_up_for(
    play: Play, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever starts at noon sweeps the night; one whose next has begun is over."""

    async def story(workers: Workers) -> None:
        clock.set(RECONCILED)
        await workers.records.complete_night(NIGHT)
        clock.set("2026-09-07T01:30")
        await workers.look()
        await workers.records.complete_night("2026-09-07")
        clock.set("2026-09-07T10:00")
        await workers.look()

    play(story)

    over, line = caplog.messages
    assert over == (
        f"sweep (night {NIGHT}): it does not run: its reconcile was said to be complete at "
        "2026-09-06T02:00:00.000Z, and the next night's has begun since (2026-09-07T01:15:00.000Z)"
    )
    assert line.startswith("sweep (night 2026-09-07): scanned 60")


def test_a_clock_that_is_set_back_repeats_nothing(
    play: Play, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """The night is decided in the ledger, not by the clock."""

    async def story(workers: Workers) -> None:
        clock.set(RECONCILED)
        await workers.records.complete_night(NIGHT)
        clock.set(DUE)
        await workers.look()
        clock.set("2026-09-06T02:00")
        await workers.look()
        clock.set(DUE)
        await workers.look()

    play(story)

    assert 1 == len(caplog.messages)


def test_a_sweep_by_hand_runs_whatever_the_night(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    """It decides no night, and leaves a record."""

    async def story(workers: Workers) -> None:
        assert 1 == await workers.schedulers[0].sweep()
        await workers.look()
        assert (None, None) == await workers.records.night(NIGHT)
        row = await workers.records.sweep(1)
        assert row is not None
        assert (None, 60, 60, 20) == (row.night, row.scanned, row.changed, row.unlocked)
        assert row.started_ms == row.ended_ms
        assert row.took_ms is not None

    play(story)

    (line,) = caplog.messages
    assert line.startswith("sweep (by hand): scanned 60")
