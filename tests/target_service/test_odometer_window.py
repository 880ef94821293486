"""The life of an event: every step once, on record, and one end that never changes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from odometer_events import CLOSES_MS, OPENS_MS, Tables, configuration, delivery, tables_in

from target_service.odometer import putting
from target_service.odometer.deliveries import Outcome
from target_service.odometer.event import Configuration, State, Tier
from target_service.odometer.putting import Put, Refused, put
from target_service.odometer.scheduler import advance, next_due_ms

GRACE_MS = 30_000


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    """Tables of their own."""
    with tables_in(tmp_path) as opened:
        yield opened


def _advance(tables: Tables, now_ms: int, owner: str = "a") -> int:
    with tables.store.write_transaction(tables.connection):
        return advance(tables.connection, owner, now_ms)


def _record(tables: Tables) -> list[tuple[str, int, int]]:
    rows = tables.connection.execute(
        "SELECT state, due_ms, at_ms FROM odometer_transitions ORDER BY at_ms, due_ms"
    )
    return rows.fetchall()


def test_every_step_is_taken_when_it_is_due(tables: Tables) -> None:
    """A millisecond before nothing happens; at the moment it does, once, and is recorded."""
    tables.make("e", configuration())
    due = [OPENS_MS, CLOSES_MS, CLOSES_MS + GRACE_MS]
    seen = []
    for moment_ms in due:
        assert next_due_ms(tables.connection) == moment_ms
        assert _advance(tables, moment_ms - 1) == 0
        assert _advance(tables, moment_ms) == 1
        assert _advance(tables, moment_ms) == 0
        seen.append(tables.event("e").state)

    assert seen == [State.OPEN, State.CLOSING, State.CLOSED]
    assert next_due_ms(tables.connection) is None
    assert _record(tables) == [
        (state, moment_ms, moment_ms)
        for state, moment_ms in zip(("open", "closing", "closed"), due, strict=True)
    ]


def test_a_scheduler_that_was_away_catches_up(tables: Tables) -> None:
    """Steps it missed are taken in order; waiting deliveries still get the whole grace."""
    event = tables.make("e", configuration())
    back_ms = CLOSES_MS + 3_600_000

    assert _advance(tables, back_ms) == 2
    assert tables.apply([delivery(event, "r")], now_ms=back_ms + 1) == [Outcome.COUNTED]
    assert _advance(tables, back_ms + GRACE_MS - 2_000) == 0
    assert _advance(tables, back_ms + GRACE_MS, owner="after a restart") == 1
    final = tables.event("e").final
    assert final is not None
    assert (final.total, final.closed_at_ms) == (5, back_ms + GRACE_MS)


def test_the_end_never_changes(tables: Tables) -> None:
    """What arrives later is kept and counted as late, and promotes no tier."""
    event = tables.make("e", configuration(tiers=[Tier("bronze", 10), Tier("silver", 11)]))
    tables.apply([delivery(event, "1", 10)])
    with tables.store.write_transaction(tables.connection):
        tables.connection.execute(
            "INSERT INTO odometer_joins VALUES (?, 'ann', 0), (?, 'idle', 0)", (event.number,) * 2
        )
    _advance(tables, CLOSES_MS)
    _advance(tables, CLOSES_MS + GRACE_MS)
    before = tables.event("e")
    late = [delivery(event, "2", 500), delivery(event, "1", 10), delivery(event, "2", 500)]
    hour_later_ms = CLOSES_MS + 3_600_000

    assert tables.apply(late, hour_later_ms) == [
        Outcome.LATE,
        Outcome.DUPLICATE,
        Outcome.DUPLICATE,
    ]
    assert _advance(tables, hour_later_ms) == 0
    after = tables.event("e")
    assert after.final == before.final
    assert (after.total, after.late, tables.lake()) == (10, 1, 4)
    assert after.final is not None
    assert (after.final.tier, after.final.change) == ("bronze", 1)
    assert (after.final.contributors, after.final.joined, after.final.eligible) == (1, 2, 1)


def test_two_schedulers_make_one_end(tmp_path: Path) -> None:
    """However often they try at once, each step is taken by one of them."""
    with tables_in(tmp_path) as tables:
        tables.make("e", configuration())
    moments = [OPENS_MS, CLOSES_MS, CLOSES_MS + GRACE_MS]

    def schedule(owner: str) -> int:
        with tables_in(tmp_path) as mine:
            return sum(_advance(mine, now_ms, owner) for now_ms in moments for _ in range(5))

    with ThreadPoolExecutor(2) as schedulers:
        taken = list(schedulers.map(schedule, ("a", "b")))
    with tables_in(tmp_path) as tables:
        # Whoever was kept out by the other's lease left its steps to a later look.
        _advance(tables, moments[-1] + 2_001, "c")
        _advance(tables, moments[-1] + 2_001 + GRACE_MS, "c")
        finals = tables.connection.execute("SELECT count(*) FROM odometer_finals").fetchone()

        assert sum(taken) <= 3
        assert finals == (1,)
        assert [state for state, _, _ in _record(tables)] == ["open", "closing", "closed"]


@pytest.mark.parametrize(
    ("caption", "wanted", "now_ms", "is_refused"),
    [
        ("before it opens", configuration(grace_seconds=60), OPENS_MS - 1, False),
        ("its grace, once open", configuration(grace_seconds=60), OPENS_MS, True),
        ("its window, once open", configuration(closes_at_ms=CLOSES_MS + 1), OPENS_MS, True),
        ("its tiers, once open", configuration(tiers=[]), OPENS_MS, True),
        ("nothing", configuration(), OPENS_MS, False),
    ],
)
def test_an_event_that_has_opened_stays_as_it_is(
    tables: Tables, caption: str, wanted: Configuration, now_ms: int, is_refused: bool
) -> None:
    """Also when no scheduler has noticed yet that it is open."""
    tables.make("e", configuration())
    with tables.store.write_transaction(tables.connection):
        done = put(tables.connection, "e", wanted, now_ms)

    assert isinstance(done, Refused if is_refused else Put), caption
    assert tables.event("e").configuration == (configuration() if is_refused else wanted)


def test_events_that_have_ended_leave_room(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many may be there that have not; the sentence says what to do."""
    monkeypatch.setattr(putting, "EVENTS_AT_MOST", 2)
    for name in ("a", "b"):
        tables.make(name, configuration(grace_seconds=0))
    with tables.store.write_transaction(tables.connection):
        refused = put(tables.connection, "c", configuration(), 0)
    _advance(tables, CLOSES_MS)

    assert refused == Refused(
        "There are 2 events that have not ended, and no more at once. Wait until one ends.",
        is_full=True,
    )
    assert tables.make("c", configuration()).state is State.SCHEDULED
