"""Serving a group of orders in one transaction: counts, recounts, and whatever is rare."""

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeAlias

from target_service.achievements.counting import Count, count_all, forget, forgettable
from target_service.achievements.recount import MEMBERS_AT_ONCE, Recount, Recounted, recount
from target_service.achievements.refusals import Refusal
from target_service.ledger.errors import LeaseLost

_FORGET_EVERY_MS = 1_000
_FORGOTTEN_AT_ONCE = 20_000

# A rare order gets the connection and the time; it raises before it writes, or not at all.
Rare: TypeAlias = Callable[[sqlite3.Connection, int], object]
Order: TypeAlias = Count | Recount | Rare


class Serve:
    """Stores what a group of callers asks for; what is refused leaves no trace.

    Counts come first and recounts last, each kind in few statements: every statement costs, and
    every row that SQLite hands to Python gives up the interpreter.
    """

    def __init__(self, kept_seconds: float, now_ms: Callable[[], int]) -> None:
        self._kept_ms = int(kept_seconds * 1_000)
        self._now_ms = now_ms
        self._forgot_at_ms = 0

    def __call__(self, connection: sqlite3.Connection, orders: Sequence[Order]) -> list[object]:
        """Return what became of each order, in their order; an exception is for who asked."""
        now_ms = self._now_ms()
        counts = [order for order in orders if isinstance(order, Count)]
        counted = iter(count_all(connection, counts, now_ms) if counts else ())
        done: list[object] = []
        members: dict[str, None] = {}
        for order in orders:
            match order:
                case Count():
                    done.append(next(counted))
                case Recount(member):
                    members[member] = None
                    done.append(Recounted(0, 0))
                case rare:
                    done.append(_one(connection, rare, now_ms))
        if members:
            # Whoever asked first hears what was found for all.
            first = next(place for place, order in enumerate(orders) if isinstance(order, Recount))
            done[first] = _recount_all(connection, list(members), now_ms)
        self._forget(connection, now_ms)
        return done

    def _forget(self, connection: sqlite3.Connection, now_ms: int) -> None:
        """Forget event ids past their time, now and then."""
        if 0 <= now_ms - self._forgot_at_ms < _FORGET_EVERY_MS:
            return
        self._forgot_at_ms = now_ms
        before_ms = now_ms - self._kept_ms
        if forgettable(connection, before_ms):
            forget(connection, before_ms, _FORGOTTEN_AT_ONCE)


def _one(connection: sqlite3.Connection, rare: Rare, now_ms: int) -> object:
    try:
        return rare(connection, now_ms)
    except (Refusal, LeaseLost) as refusal:
        return refusal


def _recount_all(connection: sqlite3.Connection, members: Sequence[str], now_ms: int) -> Recounted:
    changed = unlocked = 0
    for start in range(0, len(members), MEMBERS_AT_ONCE):
        found = recount(connection, members[start : start + MEMBERS_AT_ONCE], now_ms)
        changed += found.changed
        unlocked += found.unlocked
    return Recounted(changed, unlocked)
