"""Serving a group of orders in one transaction."""

import sqlite3
from collections.abc import Callable, Sequence

from target_service.odometer import tables as event_rows
from target_service.odometer import waiting
from target_service.odometer.deliveries import (
    Apply,
    Deliver,
    Done,
    Join,
    Joined,
    Kept,
    Order,
    SetAside,
    TakeWaiting,
)


class Serve:
    """Stores what a group of callers asks for; all else after the deliveries."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._apply = Apply()

    def __call__(self, connection: sqlite3.Connection, orders: Sequence[Order]) -> list[Done]:
        """Return what became of each order, in their order."""
        now_ms = self._now_ms()
        asked = [order for order in orders if isinstance(order, Deliver)]
        delivered = iter(self._apply(connection, asked, now_ms) if asked else ())
        done: list[Done] = []
        for order in orders:
            match order:
                case Deliver():
                    done.append(next(delivered))
                case Join():
                    done.append(_join(connection, order, now_ms))
                case SetAside():
                    waiting.refuse(connection, order.refused, now_ms)
                    waiting.wait(connection, order.early, now_ms)
                    done.append(Kept())
                case TakeWaiting():
                    done.append(waiting.take(connection, self._apply, now_ms))
        return done


def _join(connection: sqlite3.Connection, join: Join, now_ms: int) -> Joined:
    """Join until the window closes, decided by the moment this is stored."""
    row = connection.execute(
        "SELECT at_ms FROM odometer_joins WHERE event = ? AND player = ?", (join.event, join.player)
    ).fetchone()
    if row is not None:
        return Joined(row[0], is_new=False)
    event = event_rows.numbered(connection, [join.event])[join.event]
    if now_ms >= event.configuration.closes_at_ms:
        return Joined(None, is_new=False)
    connection.execute(
        "INSERT INTO odometer_joins (event, player, at_ms) VALUES (?, ?, ?)",
        (join.event, join.player, now_ms),
    )
    return Joined(now_ms, is_new=True)
