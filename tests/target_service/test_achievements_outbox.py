"""Who may publish: one at a time, and nobody who slept past the lease."""

import asyncio
from pathlib import Path

import pytest

from target_service.achievements.counting import Add, Count
from target_service.achievements.outbox import LEASE_MS
from target_service.achievements.records import Records
from target_service.ledger.errors import LeaseLost
from target_service.ledger.store import Store


def test_a_publisher_that_slept_is_fenced_off(tmp_path: Path) -> None:
    """It lost the lease to another, whose mark it cannot move; what waits stays in order."""
    path = tmp_path / "ledger.db"
    Store(path, "normal").prepare()
    now_ms = 1_788_000_000_000

    async def story() -> None:
        nonlocal now_ms
        records = Records(path, "normal", lambda: now_ms)
        await asyncio.to_thread(records.open)
        await records.count(Count("ann", [Add("e-1", (0, 0, 0, 10, 0, 0))]))
        await records.recounted("ann")
        sleeper = await records.take_outbox("sleeper")
        assert sleeper is not None
        assert await records.take_outbox("other") is None

        now_ms += LEASE_MS
        other = await records.take_outbox("other")
        assert other is not None
        await records.published(other, 1)
        with pytest.raises(LeaseLost, match="achievements-outbox"):
            await records.published(sleeper, 2)

        _, waiting = await records.waiting(10)
        assert [(2, "ann", "host", 2)] == [frame[:4] for frame in waiting]
        await records.close()

    asyncio.run(story())
