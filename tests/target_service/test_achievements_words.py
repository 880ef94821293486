"""Which words about nights the ledger keeps."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from target_service.achievements.records import Records
from target_service.achievements.sweep_records import Night
from target_service.ledger.store import Store

NIGHT = date(2026, 9, 6)
SAID_MS = int(datetime(2026, 9, 6, 3, 15, tzinfo=UTC).timestamp()) * 1_000


def test_words_for_nights_to_come_push_no_night_out(tmp_path: Path) -> None:
    """However many they are; those more than 400 days away are forgotten."""
    path = tmp_path / "ledger.db"
    Store(path, "normal").prepare()

    async def story() -> list[Night]:
        records = Records(path, "normal", lambda: SAID_MS)
        await asyncio.to_thread(records.open)
        for days in (-401, -400, *range(500)):
            await records.complete_night((NIGHT + timedelta(days=days)).isoformat())
        await records.decide_night(NIGHT.isoformat(), "swept")
        await records.complete_night((NIGHT + timedelta(days=1)).isoformat())
        asked = [(NIGHT + timedelta(days=days)).isoformat() for days in (-401, -400, 0, 400, 401)]
        nights = [await records.night(name) for name in asked]
        await records.close()
        return nights

    said, unknown = Night(SAID_MS, None), Night(None, None)
    assert asyncio.run(story()) == [unknown, said, Night(SAID_MS, "swept"), said, unknown]
