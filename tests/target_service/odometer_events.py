"""Events and deliveries for tests of the odometer, and a store to apply them to."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from target_service.ledger.store import Store
from target_service.odometer import tables
from target_service.odometer import tables as event_rows
from target_service.odometer.deliveries import (
    Apply,
    Content,
    Deliver,
    Delivery,
    Outcome,
    amounts_text,
)
from target_service.odometer.event import Aggregate, Configuration, Event, Kind, Tier
from target_service.odometer.putting import Put, put
from target_service.timestamps import rfc3339

OPENS_MS = 1_796_000_000_000
CLOSES_MS = OPENS_MS + 3 * 86_400_000
TIERS = (Tier("bronze", 600_000), Tier("silver", 700_000), Tier("gold", 800_000))
EVENT_OPERATIONS = {
    ("PUT", "/v1/events/{event_id}"): "put_event",
    ("GET", "/v1/events/{event_id}"): "event_v1",
    ("GET", "/v2/events/{event_id}"): "event_v2",
    ("GET", "/v1/events/versions"): "event_versions",
    ("POST", "/v1/events/{event_id}/players/{player_id}/join"): "join",
    ("POST", "/v1/races"): "races",
    ("GET", "/v2/events/{event_id}/players/{player_id}"): "event_player",
}
Json = dict[str, Any]


def configuration(
    kind: Kind = Kind.SUM,
    opens_at_ms: int = OPENS_MS,
    closes_at_ms: int = CLOSES_MS,
    grace_seconds: int = 30,
    tiers: Sequence[Tier] = TIERS,
) -> Configuration:
    """Three days of miles."""
    aggregate = Aggregate("miles", kind, "mile")
    return Configuration(aggregate, opens_at_ms, closes_at_ms, grace_seconds, tuple(tiers), 1_000)


def settings(opens_at_ms: int = OPENS_MS, closes_at_ms: int = CLOSES_MS, **changed: object) -> Json:
    """The body that makes such an event."""
    return {
        "aggregate": {"field": "miles", "kind": "sum", "unit": "mile"},
        "opens_at": rfc3339(opens_at_ms),
        "closes_at": rfc3339(closes_at_ms),
        "grace_seconds": 30,
        "tiers": [{"name": tier.name, "threshold": tier.threshold} for tier in TIERS],
        "refresh_ms": 100,
    } | changed


def race(
    event_id: str, race_id: str, finished_at_ms: int, miles: int = 5, player: str = "ann"
) -> Json:
    """The body that delivers a race."""
    return {
        "event_id": event_id,
        "race_id": race_id,
        "player_id": player,
        "finished_at": rfc3339(finished_at_ms),
        "amounts": {"miles": miles},
    }


class Tables:
    """The odometer's tables in a file of their own."""

    def __init__(self, path: Path) -> None:
        self.store = Store(path, "normal", patience_seconds=20)
        self.store.prepare()
        tables.prepare(self.store)
        self.connection = self.store.connect()
        self._apply = Apply()

    def make(self, event_id: str, wanted: Configuration, now_ms: int = 0) -> Event:
        """Make an event."""
        with self.store.write_transaction(self.connection):
            done = put(self.connection, event_id, wanted, now_ms)
        assert isinstance(done, Put), done
        return done.event

    def apply(self, deliveries: Sequence[Delivery], now_ms: int = OPENS_MS) -> list[Outcome]:
        """Apply deliveries in one transaction."""
        with self.store.write_transaction(self.connection):
            (done,) = self._apply(self.connection, [Deliver(deliveries, "http")], now_ms)
        return list(done.outcomes)

    def join(self, events: Iterable[Event], players: Iterable[str]) -> None:
        """Let players join events."""
        self.connection.executemany(
            "INSERT INTO odometer_joins VALUES (?, ?, 0)",
            list(product([event.number for event in events], players)),
        )

    def event(self, event_id: str) -> Event:
        """The event as it stands."""
        event = event_rows.find(self.connection, event_id)
        assert event is not None
        return event

    def contributions(self, event: Event) -> dict[str, int]:
        """Every player's contribution."""
        rows = self.connection.execute(
            "SELECT player, amount FROM odometer_contributions WHERE event = ?", (event.number,)
        )
        return dict(rows.fetchall())

    def lake(self, what: str = "count(*)") -> int:
        """A figure of the lake."""
        (found,) = self.connection.execute(f"SELECT {what} FROM odometer_lake").fetchone()  # noqa: S608 - the tests' own
        return int(found)

    def close(self) -> None:
        """Give back the file."""
        self.connection.close()
        self.store.process_lock.close()


@contextmanager
def tables_in(folder: Path) -> Iterator[Tables]:
    """Tables that are closed in the end."""
    opened = Tables(folder / "ledger.db")
    try:
        yield opened
    finally:
        opened.close()


def delivery(
    event: Event,
    race_id: str,
    miles: int = 5,
    player: str = "ann",
    finished_at_ms: int = OPENS_MS,
) -> Delivery:
    """A delivery as the intake hands it on."""
    content = Content(player, finished_at_ms, amounts_text({"miles": miles}))
    amount = event.configuration.aggregate.kind.amount(miles)
    return Delivery(event.number, race_id, content, amount)


def read_only(path: Path) -> sqlite3.Connection:
    """A look at a service's file."""
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
