"""Whatever is delivered, in whatever order, before an event ends and after: as in a dictionary."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from odometer_events import CLOSES_MS, OPENS_MS, configuration, delivery, tables_in

from target_service.odometer.deliveries import Delivery, Outcome
from target_service.odometer.event import Event, Kind, Tier
from target_service.odometer.player import read_part
from target_service.odometer.rebuild import LakeSums, drift, rebuild
from target_service.odometer.scheduler import advance
from target_service.odometer.totals import copy_of


class Sent(NamedTuple):
    """A delivery as it is drawn."""

    event: int
    race: str
    player: str
    miles: int
    finished_at_ms: int


class Model:
    """What two events should hold, told from dictionaries of first deliveries."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.first: dict[tuple[int, str], Sent] = {}
        self.late: set[tuple[int, str]] = set()
        self.is_closed = False

    def outcome(self, sent: Sent) -> Outcome:
        """Take one delivery."""
        known = self.first.get((sent.event, sent.race))
        if known is not None:
            return Outcome.DUPLICATE if known == sent else Outcome.CONFLICT
        if not OPENS_MS <= sent.finished_at_ms < CLOSES_MS:
            return Outcome.OUTSIDE
        self.first[sent.event, sent.race] = sent
        # The first of the two events ends.
        if self.is_closed and sent.event == 0:
            self.late.add((sent.event, sent.race))
            return Outcome.LATE
        return Outcome.COUNTED

    def parts(self, event: int, *, late: bool) -> dict[str, int]:
        """Every player's contribution to an event: what came in time, or after its end."""
        amounts: dict[str, list[int]] = {}
        for where, sent in self.first.items():
            if where[0] == event and (where in self.late) is late:
                amounts.setdefault(sent.player, []).append(self.kind.amount(sent.miles))
        return {player: self.kind.fold(each) for player, each in amounts.items()}

    def part(self, event: int, player: str) -> tuple[int, int, int]:
        """A player's contribution, what of it came late, and of how many races."""
        both = [self.parts(event, late=late).get(player, 0) for late in (False, True)]
        races = [one for where, one in self.first.items() if where[0] == event]
        return self.kind.fold(both), both[1], sum(one.player == player for one in races)


SENT = st.builds(
    Sent,
    st.integers(0, 1),
    st.sampled_from("abcdefgh"),
    st.sampled_from(["ann", "bob"]),
    st.integers(1, 3),
    st.sampled_from([OPENS_MS - 1, OPENS_MS, CLOSES_MS - 1, CLOSES_MS]),
)
GROUPS = st.lists(st.lists(SENT, min_size=1, max_size=8), max_size=6)


PLAYERS = ("ann", "bob")


@given(
    kind=st.sampled_from(Kind),
    joined=st.sets(st.sampled_from(PLAYERS)),
    before=GROUPS,
    after=GROUPS,
)
@settings(max_examples=30)
def test_whatever_comes_equals_the_model(
    kind: Kind, joined: set[str], before: list[list[Sent]], after: list[list[Sent]]
) -> None:
    """Outcomes, totals, parts, rewards and the lake, before an event ends, after, and rebuilt."""
    model = Model(kind)
    outcomes: list[Outcome] = []
    expected: list[Outcome] = []
    with TemporaryDirectory() as folder, tables_in(Path(folder)) as tables:
        tiers = [Tier("some", 3)]
        events = [
            tables.make("ends", configuration(kind, grace_seconds=0, tiers=tiers)),
            tables.make("goes on", configuration(kind, grace_seconds=86_400, tiers=tiers)),
        ]
        tables.join(events, joined)
        final = None
        marks = [_mark(tables.event("ends"))]
        for groups in (before, after):
            for group in groups:
                expected += map(model.outcome, group)
                outcomes += tables.apply([_delivery(events, sent) for sent in group])
                marks.append(_mark(tables.event("ends")))
            if not model.is_closed:
                model.is_closed = True
                with tables.store.write_transaction(tables.connection):
                    advance(tables.connection, "a", CLOSES_MS)
                final = tables.event("ends").final
                marks.append(_mark(tables.event("ends")))
        found = [tables.event(event.id) for event in events]
        drifts = [drift(tables.connection, LakeSums())]
        drifts += [one.drift for one in rebuild(tables.store)]

        assert outcomes == expected
        # What workers compare their copies by rises with all that clients are told.
        for (first, said), (then, says) in pairwise(marks):
            assert then == first if says == said else then > first
        assert (tables.lake(), drifts) == (len(expected), [0, 0, 0])
        assert [tables.event(event.id) for event in events] == found
        for number, event in enumerate(events):
            in_time, late = (model.parts(number, late=late) for late in (False, True))
            assert tables.contributions(event) == in_time
            assert tables.event(event.id).total == kind.fold(in_time.values())
            assert tables.event(event.id).late_amount == kind.fold(late.values())
            for player in PLAYERS:
                told = read_part(tables.connection, event.id, player)
                assert told is not None
                assert (told.contribution, told.late, told.races) == model.part(number, player)
                assert told.eligible is (player in joined and told.races > 0)
                tier = final.tier if final and number == 0 else None
                assert told.reward == (tier if told.eligible else None)
        ended = tables.event("ends")
        assert final is not None
        assert (ended.final, ended.total, ended.late) == (final, final.total, len(model.late))
        raced = {sent.player for (event_number, _), sent in model.first.items() if not event_number}
        assert final.eligible + ended.late_eligible == len(raced & joined)


MOVES = st.dictionaries(st.sampled_from("abcd"), st.integers(-9, 9))


@given(kind=st.sampled_from(Kind), moved=MOVES)
@settings(max_examples=20)
def test_every_unit_that_is_not_where_it_was_raced_is_drift(
    kind: Kind, moved: dict[str, int]
) -> None:
    """Measured as the sum over players, whatever their sum is; a rebuild finds the same."""
    with TemporaryDirectory() as folder, tables_in(Path(folder)) as tables:
        event = tables.make("e", configuration(kind))
        tables.apply([delivery(event, player, 20, player) for player in "abc"])
        truth = tables.contributions(event)
        for player, units in moved.items():
            if units:
                tables.connection.execute(
                    "INSERT INTO odometer_contributions VALUES (?, ?, ?, 0) ON CONFLICT DO UPDATE"
                    " SET amount = amount + excluded.amount",
                    (event.number, player, units),
                )
        expected = sum(map(abs, moved.values()))

        assert drift(tables.connection, LakeSums()) == expected
        assert [one.drift for one in rebuild(tables.store)] == [expected]
        assert tables.contributions(event) == truth


def _mark(event: Event) -> tuple[int, bytes]:
    copy = copy_of(event, 0)
    return copy.progress, copy.v2


def _delivery(events: list[Event], sent: Sent) -> Delivery:
    event = events[sent.event]
    return delivery(event, sent.race, sent.miles, sent.player, sent.finished_at_ms)
