"""Marking in the ledger which changes have reached Redis, five times a second."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from target_service.ledger.errors import LedgerError
from target_service.ledger.protocol import Ledger
from target_service.projection.guarded_writes import Written
from target_service.projection.inspection import Conditions
from target_service.projection.state import Progress, ProjectionState

INTERVAL_SECONDS = 0.2
# A change dropped beyond this stays unprojected, and is written once more than needed.
_MAX_WAITING = 100_000


class AckTracker:
    """Collects projected changes; the state's rows are written first, the ledger's marks after."""

    def __init__(self, ledger: Ledger, state: ProjectionState, conditions: Conditions) -> None:
        self._ledger = ledger
        self._state = state
        self._conditions = conditions
        self._changes: dict[tuple[str, str], list[Sequence[int]]] = {}
        self._written: dict[tuple[str, str], int] = {}
        self._waiting = 0

    def add(self, key: str, written: Written, changes: Sequence[int]) -> None:
        """Note that these changes have reached the board."""
        self._conditions.note_progress(key, written)
        if self._waiting + len(changes) > _MAX_WAITING:
            return
        where = (key, written.epoch)
        self._waiting += len(changes)
        self._changes.setdefault(where, []).append(changes)
        self._written[where] = max(self._written.get(where, 0), written.writes)

    def dismiss(self, changes: Sequence[int]) -> None:
        """Mark changes of a board that is not served; if it is served again, it is rebuilt."""
        self._ledger.mark_projected(changes)

    async def flush(self) -> frozenset[str]:
        """Mark the collected changes now; return the board keys whose changes were marked.

        Changes that reached an epoch which has ended stay unprojected.
        """
        changes, written = self._changes, self._written
        self._changes, self._written, self._waiting = {}, {}, 0
        marked: set[str] = set()
        for epochs in _one_epoch_each(list(changes)):
            progress = {key: Progress(epoch, written[key, epoch]) for key, epoch in epochs}
            for key in await self._state.advance(progress):
                for numbers in changes[key, progress[key].epoch]:
                    self._ledger.mark_projected(numbers)
                marked.add(key)
        return frozenset(marked)

    async def keep(self) -> None:
        """Flush for ever; changes that cannot be marked are projected again."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            if self._changes:
                with suppress(LedgerError):
                    await self.flush()


def _one_epoch_each(found: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Split so that every part names a key once; a second part is needed after a new epoch only."""
    parts: list[list[tuple[str, str]]] = []
    for key, epoch in found:
        for part in parts:
            if key not in (other for other, _ in part):
                part.append((key, epoch))
                break
        else:
            parts.append([(key, epoch)])
    return parts
