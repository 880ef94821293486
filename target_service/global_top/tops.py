"""The materialised tops of a service, and how its workers share them."""

import os
import uuid
from pathlib import Path
from typing import Protocol

from target_service.global_top.book import Book
from target_service.global_top.copies import Copies
from target_service.global_top.floor import Floor
from target_service.global_top.made_top import MadeTop
from target_service.global_top.making import Making
from target_service.global_top.own_tops import OwnTops
from target_service.global_top.shared_tops import SharedTops
from target_service.leaderboard.store import Store
from target_service.ledger.store import Store as LedgerStore
from target_service.metrics import Metrics, TopSeries
from target_service.settings import Settings

# Two rounds may be late before another worker takes over, and a short interval leaves some time.
_LEASE_ROUNDS = 3
_LEASE_AT_LEAST_MS = 2_000


class Tops(Protocol):
    """Keeps the newest top of each season."""

    async def current(self, season: str) -> MadeTop | None:
        """Return a top that is no older than any that was answered before, if there is one."""

    async def start(self) -> None:
        """Have the tops before the first request, if they can be had soon."""

    async def keep(self) -> None:
        """Keep them fresh for ever."""

    async def stop(self) -> None:
        """Give back what was taken."""


def make_tops(settings: Settings, store: Store, metrics: Metrics) -> Tops:
    """Return tops shared through the ledger's file, or each worker's own without one."""
    making = Making(store)
    copies = Copies(TopSeries(metrics.registry))
    seconds = settings.top_interval_seconds
    if settings.ledger == "none":
        return OwnTops(making, copies, settings.seasons, seconds)
    lease_ms = max(_LEASE_AT_LEAST_MS, int(_LEASE_ROUNDS * seconds * 1_000))
    ledger = LedgerStore(settings.ledger_path, settings.ledger_sync)
    book = Book(ledger, f"{os.getpid()} {uuid.uuid4().hex}", lease_ms)
    floors = {
        season: Floor(floor_path(settings.ledger_path, season)) for season in settings.seasons
    }
    return SharedTops(making, copies, book, floors, seconds)


def floor_path(ledger: Path, season: str) -> Path:
    """Return the file through which the workers on a ledger share a season's floor."""
    return ledger.with_name(f"{ledger.name}-top-{season}")
