"""Applying deliveries: each race once, whatever order, repetition or crash."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from odometer_events import CLOSES_MS, OPENS_MS, Tables, configuration, delivery, tables_in

from target_service.odometer.deliveries import Outcome
from target_service.odometer.event import Kind

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    """Tables of their own."""
    with tables_in(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("caption", "finished_at_ms", "outcome"),
    [
        ("a millisecond before it opens", OPENS_MS - 1, Outcome.OUTSIDE),
        ("as it opens", OPENS_MS, Outcome.COUNTED),
        ("a millisecond before it closes", CLOSES_MS - 1, Outcome.COUNTED),
        ("as it closes", CLOSES_MS, Outcome.OUTSIDE),
    ],
)
def test_the_window_is_half_open(
    tables: Tables, caption: str, finished_at_ms: int, outcome: Outcome
) -> None:
    """The race's own completion time decides, not when it arrives; the lake keeps either."""
    event = tables.make("e", configuration())
    one = delivery(event, caption, finished_at_ms=finished_at_ms)

    assert tables.apply([one], now_ms=CLOSES_MS + 5_000) == [outcome]
    assert tables.event("e").total == (5 if outcome is Outcome.COUNTED else 0)
    assert tables.lake() == 1


def test_a_race_outside_claims_nothing(tables: Tables) -> None:
    """It is outside every time it comes, and the same race inside counts."""
    event = tables.make("e", configuration())
    outside = delivery(event, "r", finished_at_ms=OPENS_MS - 1)

    assert tables.apply([outside, outside, delivery(event, "r")]) == [
        Outcome.OUTSIDE,
        Outcome.OUTSIDE,
        Outcome.COUNTED,
    ]


def test_other_contents_are_a_conflict(tables: Tables) -> None:
    """Other miles, player or time: reported and kept, and the first delivery stays."""
    event = tables.make("e", configuration())
    first = delivery(event, "r", miles=5)
    others = [
        delivery(event, "r", miles=6),
        delivery(event, "r", player="bob"),
        delivery(event, "r", finished_at_ms=OPENS_MS + 1),
        delivery(event, "r", finished_at_ms=CLOSES_MS),
    ]

    assert tables.apply([first]) == [Outcome.COUNTED]
    assert tables.apply([*others, first]) == [*[Outcome.CONFLICT] * 4, Outcome.DUPLICATE]
    assert (tables.event("e").total, tables.lake()) == (5, 6)


def test_a_race_counts_in_every_event_it_is_sent_to(tables: Tables) -> None:
    """A claim is for one event."""
    events = [tables.make(name, configuration()) for name in ("a", "b")]

    assert tables.apply([delivery(event, "r") for event in events]) == [Outcome.COUNTED] * 2
    assert [tables.event(name).total for name in ("a", "b")] == [5, 5]


@pytest.mark.parametrize(("kind", "total"), [(Kind.SUM, 21), (Kind.COUNT, 3), (Kind.MAX, 10)])
def test_the_aggregate_is_a_configuration(tables: Tables, kind: Kind, total: int) -> None:
    """Sum, count and longest: the same races, no other code."""
    event = tables.make("e", configuration(kind))
    tables.apply([delivery(event, "1", 4), delivery(event, "2", 10, "bob")])
    tables.apply([delivery(event, "3", 7, "bob")])

    assert tables.event("e").total == total
    assert kind.fold(tables.contributions(event).values()) == total


def test_many_writers_of_one_mile(tmp_path: Path) -> None:
    """Each of them redelivers everybody's races at once; each race counts once."""
    with tables_in(tmp_path) as tables:
        event = tables.make("e", configuration())

    def write(number: int) -> list[Outcome]:
        with tables_in(tmp_path) as mine:
            races = [delivery(event, f"{(number * 7 + n) % 100}", 1) for n in range(100)]
            return [outcome for start in (0, 50) for outcome in mine.apply(races[start:][:50])]

    with ThreadPoolExecutor(8) as writers:
        outcomes = [outcome for each in writers.map(write, range(8)) for outcome in each]
    with tables_in(tmp_path) as tables:
        assert outcomes.count(Outcome.COUNTED) == 100
        assert outcomes.count(Outcome.DUPLICATE) == 700
        assert (tables.event("e").total, tables.contributions(event)) == (100, {"ann": 100})


_CRASH = """
import os, signal, sys
sys.path[:0] = [{root!r}, {tests!r}]
from pathlib import Path
from odometer_events import configuration, delivery, tables_in
with tables_in(Path({folder!r})) as tables:
    event = tables.event("e")
    def die(statement):
        if statement.startswith({before!r}):
            os.kill(os.getpid(), signal.SIGKILL)
    tables.connection.set_trace_callback(die)
    tables.apply([delivery(event, "r", 7)])
"""


@pytest.mark.parametrize(
    ("caption", "before"),
    [
        ("after the claim", "INSERT INTO odometer_contributions"),
        ("after the contribution", "UPDATE odometer_events SET total"),
        ("after the total", "COMMIT"),
    ],
)
def test_a_crash_in_between_neither_loses_nor_doubles(
    tmp_path: Path, caption: str, before: str
) -> None:
    """Killed between any two steps nothing of the race is there, and its redelivery counts."""
    with tables_in(tmp_path) as tables:
        event = tables.make("e", configuration())
    program = _CRASH.format(
        root=str(ROOT), tests=str(Path(__file__).parent), folder=str(tmp_path), before=before
    )
    died = subprocess.run([sys.executable, "-c", program], env=dict(os.environ), check=False)

    assert died.returncode == -signal.SIGKILL, caption
    with tables_in(tmp_path) as tables:
        assert (tables.event("e").total, tables.contributions(event), tables.lake()) == (0, {}, 0)
        assert tables.apply([delivery(event, "r", 7)]) == [Outcome.COUNTED]
        assert (tables.event("e").total, tables.contributions(event)) == (7, {"ann": 7})


def test_the_database_itself_refuses_a_second_claim(tables: Tables) -> None:
    """Whoever decides wrongly is stopped by the lake's index."""
    event = tables.make("e", configuration())
    tables.apply([delivery(event, "r")])
    columns = "(event, race, player, finished_at_ms, amounts, amount, outcome, way, at_ms)"

    with pytest.raises(Exception, match="UNIQUE constraint failed"):
        tables.connection.execute(
            f"INSERT INTO odometer_lake {columns} VALUES (?, 'r', 'x', 0, '', 1, 'late', '', 0)",  # noqa: S608 - the test's own
            (event.number,),
        )
