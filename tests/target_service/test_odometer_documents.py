"""What clients of each version are told."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from odometer_events import OPENS_MS, configuration

from target_service.odometer import documents
from target_service.odometer.event import Event, Final, State
from target_service.timestamps import read_moment

GOLDEN = Path(__file__).with_name("golden_events") / "open-v1.json"
AS_OF_MS = read_moment("2026-12-01T00:00:00.123Z")
OPEN = Event(1, "golden", configuration(), State.OPEN, 624_836, 70_000, 0, 70_000, None)
FINAL = Final(624_836, 70_000, "bronze", 900, 1_000, 800, 71_000, OPENS_MS)
CLOSED = msgspec.structs.replace(
    OPEN, state=State.CLOSED, total=999_999, late=3, final=FINAL, late_amount=9, late_eligible=2
)


def _v2(event: Event) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(documents.v2(event, AS_OF_MS))
    return told


def test_the_first_version_is_pinned() -> None:
    """Byte for byte what the first clients were built for, whatever came after them."""
    assert documents.v1(OPEN, AS_OF_MS).decode() == GOLDEN.read_text().strip()


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (State.SCHEDULED, "scheduled"),
        (State.OPEN, "open"),
        (State.CLOSING, "open"),
        (State.CLOSED, "closed"),
    ],
)
def test_the_first_clients_meet_no_state_they_do_not_know(state: State, told: str) -> None:
    """The grace is new; to them an event is open until its result is final."""
    final = FINAL if state is State.CLOSED else None
    event = msgspec.structs.replace(OPEN, state=state, final=final)

    assert json.loads(documents.v1(event, AS_OF_MS))["state"] == told


def test_the_end_is_told_in_both_versions() -> None:
    """Total and tier are those of the end, though more may stand in the ledger."""
    first = json.loads(documents.v1(CLOSED, AS_OF_MS))
    second = _v2(CLOSED)

    assert (first["total"], first["tier"]) == (624_836, "bronze")
    assert (second["total"], second["tier"]) == (624_836, "bronze")
    assert [second[f"late{what}"] for what in ("", "_amount", "_eligible")] == [3, 9, 2]
    assert second["final"] == {
        "total": 624_836,
        "races": 70_000,
        "tier": "bronze",
        "contributors": 900,
        "joined": 1_000,
        "eligible": 800,
        "change": 71_000,
        "closed_at": "2026-11-30T00:53:20.000Z",
    }


def test_the_second_version_says_what_it_can() -> None:
    """Capabilities and the aggregate are described, not assumed."""
    told = _v2(OPEN)

    assert told["version"] == 2
    assert told["capabilities"] == [
        *("aggregate", "contribution", "eligibility", "final", "grace", "tiers"),
    ]
    assert told["aggregate"] == {"field": "miles", "kind": "sum", "unit": "mile"}
    assert [tier["status"] for tier in told["tiers"]] == ["complete", "not_reached", "locked"]
    assert told["final"] is None
