"""Beginning where the ledger's file cannot be written yet: on a full disk, say."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from target_service.ledger.errors import LedgerError

_AGAIN_SECONDS = 1.0


async def begin_later(begin: Callable[[], Awaitable[None]]) -> None:
    """Try to begin, once a second, until the ledger can be opened."""
    while True:
        await asyncio.sleep(_AGAIN_SECONDS)
        with suppress(LedgerError):
            await begin()
            return
