"""Opening ledgers in tests."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from target_service.ledger.events import Board, Event, LedgerOptions
from target_service.ledger.sqlite import SqliteLedger
from target_service.timestamps import wall_clock_ms

T = TypeVar("T")

SOLO = Board("s1", "lb:eu:solo:s1")
DUO = Board("s1", "lb:eu:duo:s1")
NEXT_SEASON = Board("s2", "lb:eu:duo:s2")
QUICK = LedgerOptions(sync="normal")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a loop of its own."""
    return asyncio.run(coroutine)


@asynccontextmanager
async def opened(
    path: Path,
    now_ms: Callable[[], int] = wall_clock_ms,
    on_commit: Callable[[float, int], None] = lambda _seconds, _events: None,
    **options: Any,  # noqa: ANN401 - any of LedgerOptions' fields
) -> AsyncIterator[SqliteLedger]:
    """A ledger that is closed in the end."""
    ledger = SqliteLedger(path, replace(QUICK, **options), now_ms, on_commit)
    try:
        yield ledger
    finally:
        await ledger.close()


async def statuses(ledger: SqliteLedger, events: Sequence[Event]) -> list[str]:
    """Submit events one after another, each after the answer to the one before."""
    return [(await ledger.submit(event)).status.value for event in events]


async def pending_changes(ledger: SqliteLedger, limit: int = 1_000_000) -> list[int]:
    """Every change number that is not marked projected."""
    boards = await ledger.unprojected(limit, 2**62)
    return sorted(number for board in boards for number in board.changes)
