"""Whatever is delivered, in whatever order, before an event ends and after: as in a dictionary."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from odometer_events import CLOSES_MS, OPENS_MS, configuration, delivery, tables_in

from target_service.odometer.aggregate import Kind
from target_service.odometer.decisions import Delivery, Outcome
from target_service.odometer.event import Event
from target_service.odometer.rebuild import rebuild
from target_service.odometer.scheduler import advance


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

    def parts(self, event: int) -> dict[str, int]:
        """Every player's contribution to an event."""
        amounts: dict[str, list[int]] = {}
        for where, sent in self.first.items():
            if where[0] == event and where not in self.late:
                amounts.setdefault(sent.player, []).append(self.kind.amount(sent.miles))
        return {player: self.kind.fold(each) for player, each in amounts.items()}


SENT = st.builds(
    Sent,
    st.integers(0, 1),
    st.sampled_from("abcdefgh"),
    st.sampled_from(["ann", "bob"]),
    st.integers(1, 3),
    st.sampled_from([OPENS_MS - 1, OPENS_MS, CLOSES_MS - 1, CLOSES_MS]),
)
GROUPS = st.lists(st.lists(SENT, min_size=1, max_size=8), max_size=6)


@given(kind=st.sampled_from(Kind), before=GROUPS, after=GROUPS)
@settings(max_examples=30)
def test_whatever_comes_equals_the_model(
    kind: Kind, before: list[list[Sent]], after: list[list[Sent]]
) -> None:
    """Outcomes, totals, contributions and the lake, before an event ends, after, and rebuilt."""
    model = Model(kind)
    outcomes: list[Outcome] = []
    expected: list[Outcome] = []
    with TemporaryDirectory() as folder, tables_in(Path(folder)) as tables:
        events = [
            tables.make("ends", configuration(kind, grace_seconds=0)),
            tables.make("goes on", configuration(kind, grace_seconds=86_400)),
        ]
        final = None
        for groups in (before, after):
            for group in groups:
                expected += map(model.outcome, group)
                outcomes += tables.apply([_delivery(events, sent) for sent in group])
            if not model.is_closed:
                model.is_closed = True
                with tables.store.write(tables.connection):
                    advance(tables.connection, "a", CLOSES_MS)
                final = tables.event("ends").final
        drifts = [one.drift for one in rebuild(tables.store)]

        assert outcomes == expected
        assert (tables.lake(), drifts) == (len(expected), [0, 0])
        for number, event in enumerate(events):
            assert tables.contributions(event) == model.parts(number)
            assert tables.event(event.id).total == kind.fold(model.parts(number).values())
        ended = tables.event("ends")
        assert final is not None
        assert (ended.final, ended.total, ended.late) == (final, final.total, len(model.late))


def _delivery(events: list[Event], sent: Sent) -> Delivery:
    event = events[sent.event]
    return delivery(event, sent.race, sent.miles, sent.player, sent.finished_at_ms)
