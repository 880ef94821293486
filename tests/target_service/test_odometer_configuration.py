"""Reading an event's configuration, from JSON and TOML."""

from pathlib import Path
from typing import Any

import pytest
from odometer_events import OPENS_MS, configuration, settings, tables_in

from target_service.odometer.configuration import read_configuration, settings_of
from target_service.odometer.event import Configuration
from target_service.odometer.event_file import EventsRefused, put_events, read_event_file

TOML = """
[events.autumn]
opens_at = 2026-11-30T00:53:20Z
closes_at = "2026-12-03T00:53:20.000Z"
aggregate = { field = "miles", kind = "sum", unit = "mile" }
tiers = [
  { name = "bronze", threshold = 600_000 },
  { name = "silver", threshold = 700_000 },
  { name = "gold", threshold = 800_000 },
]
"""


def _problems(value: object) -> dict[str, str]:
    found = read_configuration(value)
    assert isinstance(found, list), found
    return {problem.field: problem.detail for problem in found}


def test_what_is_read_is_what_was_given() -> None:
    """And given again it is the same."""
    read = read_configuration(settings(refresh_ms=1_000))

    assert read == configuration()
    assert isinstance(read, Configuration)
    assert read_configuration(settings_of(read).model_dump(mode="json")) == read


def test_toml_says_the_same(tmp_path: Path) -> None:
    """With moments of its own, and defaults for grace and refresh."""
    (path := tmp_path / "events.toml").write_text(TOML)

    assert read_event_file(path) == {"autumn": configuration()}


def test_every_problem_is_told_at_once() -> None:
    """Each with the name of its field."""
    bad = {
        "aggregate": {"field": "Miles!", "kind": "mean", "colour": "red"},
        "opens_at": "tomorrow",
        "closes_at": 5,
        "tiers": [{"name": "bronze"}, {"name": "", "threshold": 1.5}, "gold"],
        "grace_seconds": -1,
        "refresh_ms": True,
        "reset": 1,
    }

    assert sorted(_problems(bad)) == [
        "aggregate.colour",
        "aggregate.field",
        "aggregate.kind",
        "aggregate.unit",
        "closes_at",
        "grace_seconds",
        "opens_at",
        "refresh_ms",
        "reset",
        "tiers[0].threshold",
        "tiers[1].name",
        "tiers[1].threshold",
        "tiers[2]",
    ]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"closes_at": settings()["opens_at"]}, "closes_at"),
        ({"opens_at": "2026-02-30T00:00:00.000Z"}, "opens_at"),
        ({"opens_at": "2026-11-30T00:53:20+01:00"}, "opens_at"),
        ({"tiers": [{"name": n, "threshold": 5} for n in ("a", "b")]}, "tiers"),
        ({"tiers": [{"name": "a", "threshold": t} for t in (1, 2)]}, "tiers"),
        ({"tiers": [{"name": f"t{n}", "threshold": n} for n in range(1, 18)]}, "tiers"),
        ({"tiers": {}}, "tiers"),
        ({"aggregate": "miles"}, "aggregate"),
        ({"grace_seconds": 86_401}, "grace_seconds"),
    ],
)
def test_a_rule_that_is_broken_is_named(changed: dict[str, Any], field: str) -> None:
    """A window that has no inside, thresholds that do not rise, and the like."""
    assert list(_problems(settings() | changed)) == [field]


def test_a_body_that_is_no_object() -> None:
    """It has no fields to name."""
    assert _problems([]) == {"body": "must be a JSON object"}


def test_a_file_is_put_as_a_whole(tmp_path: Path) -> None:
    """Again changes nothing; a change to an event that has opened refuses all of it."""
    path = tmp_path / "events.toml"
    past = TOML.replace("2026", "2025").replace("events.autumn", "events.last-year")
    with tables_in(tmp_path) as tables:
        for _ in range(2):
            path.write_text(past)
            put_events(tables.store, read_event_file(path))
        path.write_text(TOML + past.replace("600_000", "500_000"))
        with pytest.raises(EventsRefused, match="last-year has opened"):
            put_events(tables.store, read_event_file(path))
        ids = tables.connection.execute("SELECT id FROM odometer_events").fetchall()

    assert ids == [("last-year",)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[events", "is not TOML"),
        ("[races]", "races is no table of events"),
        ("events = 1", "events must be a table"),
        ("[events.versions]", "'versions' is no event id"),
        ("[events.e]\nopens_at = 2026-11-30T00:53:20", "events.e: opens_at must be a moment"),
        ("[events.e]\nopens_at = 0001-01-01T00:00:00+23:00", "events.e: opens_at must be a moment"),
        ("[events.e]\nopens_at = 2026-11-30T00:53:20.0001Z", "events.e: opens_at must be a moment"),
        (f"[events.e]\ngrace_seconds = {'9' * 5_000}", "is not TOML: Exceeds the limit"),
        (f"events = {'[' * 5_000}", "is not TOML: maximum recursion depth"),
        (TOML + TOML.replace("autumn", '"cafe\u0301"') + '[events."caf\u00e9"]', "is there twice"),
    ],
)
def test_a_bad_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    """With its path, the event and the field."""
    (path := tmp_path / "events.toml").write_text(text)

    with pytest.raises(EventsRefused, match=told):
        read_event_file(path)
    with pytest.raises(EventsRefused, match="cannot be read"):
        read_event_file(tmp_path / "missing.toml")


def test_moments_are_whole_milliseconds() -> None:
    """The last one of a day is told as it was given."""
    last = settings(closes_at_ms=OPENS_MS + 86_399_999)
    read = read_configuration(last)

    assert isinstance(read, Configuration)
    assert settings_of(read).model_dump()["closes_at"] == last["closes_at"]
