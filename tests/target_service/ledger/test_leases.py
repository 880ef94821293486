"""Leases, fencing tokens and paused jobs: rows beside what they protect."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_opening import opened, run

from target_service.ledger.errors import LeaseLost
from target_service.ledger.leases import (
    Lease,
    acquire_lease,
    may_acquire_lease,
    pause_job,
    paused_jobs,
    release_lease,
    renew_lease,
    require_lease,
    resume_job,
)
from target_service.ledger.store import Store

NOW = 1_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A file with the ledger's tables."""
    store = Store(tmp_path / "ledger.db", "normal", patience_seconds=0.1)
    store.prepare()
    yield store
    store.process_lock.close()


def test_a_lease_has_one_holder_and_growing_tokens(store: Store) -> None:
    """A held lease has one owner; each taking counts the token up."""
    connection = store.connect()
    with store.write_transaction(connection):
        first = acquire_lease(connection, "sweep", "a", 100, NOW)
        refused = acquire_lease(connection, "sweep", "b", 100, NOW + 99)
        second = acquire_lease(connection, "sweep", "b", 100, NOW + 100)
        own = acquire_lease(connection, "sweep", "b", 100, NOW + 101)
        other = acquire_lease(connection, "close", "a", 100, NOW)
    connection.close()

    assert Lease("sweep", "a", 1) == first
    assert refused is None
    assert Lease("sweep", "b", 2) == second
    assert Lease("sweep", "b", 3) == own
    assert Lease("close", "a", 1) == other


def test_renewing_holds_and_releasing_lets_go(store: Store) -> None:
    """A renewed lease lasts, a released one is free, and tokens never start again."""
    connection = store.connect()
    with store.write_transaction(connection):
        lease = acquire_lease(connection, "sweep", "a", 100, NOW)
        assert lease is not None
        renew_lease(connection, lease, 500, NOW + 90)
        held = acquire_lease(connection, "sweep", "b", 100, NOW + 400)
        release_lease(connection, lease)
        free = acquire_lease(connection, "sweep", "b", 100, NOW + 400)
    connection.close()

    assert held is None
    assert Lease("sweep", "b", 2) == free


@pytest.mark.parametrize(
    ("ahead_ms", "is_free"), [(100, False), (1_100, False), (1_101, True), (60_000, True)]
)
def test_a_clock_that_was_set_back_holds_nobody_up(
    store: Store, ahead_ms: int, *, is_free: bool
) -> None:
    """A lease that ends later than one taken now is free; one that is a little ahead is not."""
    connection = store.connect()
    with store.write_transaction(connection):
        acquire_lease(connection, "sweep", "a", 100, NOW)
        now_ms = NOW + 100 - ahead_ms
        assert may_acquire_lease(connection, "sweep", "b", 100, now_ms) is is_free
        assert may_acquire_lease(connection, "sweep", "a", 100, now_ms)
        taken = acquire_lease(connection, "sweep", "b", 100, now_ms)
    connection.close()

    assert taken == (Lease("sweep", "b", 2) if is_free else None)


def test_a_holder_that_slept_is_fenced_off(store: Store) -> None:
    """Work under a lease that was taken since is rolled back as a whole."""
    connection = store.connect()
    with store.write_transaction(connection):
        old = acquire_lease(connection, "sweep", "a", 100, NOW)
        new = acquire_lease(connection, "sweep", "b", 100, NOW + 200)
    assert old is not None
    assert new is not None

    def work_under(lease: Lease) -> None:
        with store.write_transaction(connection):
            pause_job(connection, f"work-of-{lease.owner}", NOW + 1)
            require_lease(connection, lease)

    with pytest.raises(LeaseLost, match="'sweep' was taken from 'a'"):
        work_under(old)
    with pytest.raises(LeaseLost), store.write_transaction(connection):
        renew_lease(connection, old, 100, NOW + 250)
    work_under(new)
    done = paused_jobs(connection, NOW)
    connection.close()

    assert ("work-of-b",) == done


def test_pauses_end_by_themselves_or_when_resumed(store: Store) -> None:
    """A hold counts until its time, a later one replaces it, letting go ends it."""
    connection = store.connect()
    with store.write_transaction(connection):
        pause_job(connection, "projector", NOW + 10)
        pause_job(connection, "aggregator", NOW + 10)
        pause_job(connection, "aggregator", NOW + 20)
    seen = [paused_jobs(connection, NOW + later) for later in (9, 10, 20)]
    with store.write_transaction(connection):
        resume_job(connection, "aggregator")
    seen.append(paused_jobs(connection, NOW))
    connection.close()

    assert [("aggregator", "projector"), ("aggregator",), (), ("projector",)] == seen


def test_the_ledger_reports_paused_jobs(tmp_path: Path) -> None:
    """A hold another process wrote shows in the facts the projector reads."""

    async def scenario() -> tuple[str, ...]:
        path = tmp_path / "ledger.db"
        async with opened(path, lambda: NOW) as ledger:
            store = Store(path)
            connection = store.connect()
            with store.write_transaction(connection):
                pause_job(connection, "projector", NOW + 1)
            connection.close()
            store.process_lock.close()
            return (await ledger.facts()).paused_jobs

    assert ("projector",) == run(scenario())
