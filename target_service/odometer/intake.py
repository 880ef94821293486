"""The one way in: whatever brings deliveries, `take` is what applies them."""

from collections import Counter
from collections.abc import Sequence

from target_service.leaderboard.field_problems import bounded
from target_service.ledger.desk import Desk
from target_service.ledger.questions import Questions
from target_service.odometer import event_rows
from target_service.odometer.apply import amounts_text
from target_service.odometer.decisions import Content, Delivery, Outcome
from target_service.odometer.event import Event
from target_service.odometer.orders import (
    Deliver,
    Delivered,
    Done,
    Join,
    Joined,
    Order,
    Reject,
    Way,
)
from target_service.odometer.race import BadRaces, Completed
from target_service.odometer.series import OdometerSeries
from target_service.problems import FieldProblem


class Intake:
    """Fits races to their events, has them applied, and counts what became of them.

    An event's number and aggregate never change and no event is ever removed, so what is known
    of it here stays true.
    """

    def __init__(
        self, desk: Desk[Order, Done], questions: Questions, series: OdometerSeries
    ) -> None:
        self._desk = desk
        self._questions = questions
        self._known: dict[str, Event] = {}
        self._count = {outcome: series.deliveries.labels(outcome.value).inc for outcome in Outcome}
        self._count_rejected = series.deliveries.labels("rejected").inc

    async def take(self, races: Sequence[Completed], way: Way) -> Sequence[Outcome]:
        """Return what became of each race once all of it is on disk.

        Raises:
            BadRaces: an event is not known, or a race lacks what its event counts; nothing of
                it was applied.

        """
        await self.fitting(races)
        deliveries = [self._delivery(race) for race in races]
        done = await self._desk.submit(Deliver(deliveries, way), len(deliveries))
        if not isinstance(done, Delivered):
            raise TypeError(done)
        for outcome, times in Counter(done.outcomes).items():
            self._count[outcome](times)
        return done.outcomes

    async def fitting(self, races: Sequence[Completed]) -> Sequence[Completed]:
        """Return the races if all of them can be taken; raises BadRaces."""
        for event_id in {race.event_id for race in races} - self._known.keys():
            await self.event(event_id)
        problems = bounded(one for race in races for one in self._misfits(race))
        if problems:
            raise BadRaces(problems)
        return races

    async def reject(self, reason: str, payload: str) -> None:
        """Keep what is no race where it can be looked at."""
        await self._desk.submit(Reject(reason, payload))
        self._count_rejected()

    async def event(self, event_id: str) -> Event | None:
        """Return the event as it was when it was first asked for; None when there is none."""
        known = self._known.get(event_id)
        if known is None:
            known = await self._questions.ask(lambda c: event_rows.find(c, event_id))
            if known is not None:
                self._known[event_id] = known
        return known

    def _misfits(self, race: Completed) -> list[FieldProblem]:
        event = self._known.get(race.event_id)
        if event is None:
            sentence = "names no event; PUT /v1/events/{event_id} makes one"
            return [FieldProblem(f"{race.where}event_id", sentence)]
        field = event.configuration.aggregate.field
        if field not in race.amounts:
            sentence = f"is missing, and is what event {event.id} counts"
            return [FieldProblem(f"{race.where}amounts.{field}", sentence)]
        return []

    def _delivery(self, race: Completed) -> Delivery:
        event = self._known[race.event_id]
        aggregate = event.configuration.aggregate
        content = Content(race.player_id, race.finished_at_ms, amounts_text(race.amounts))
        return Delivery(
            event.number,
            race.race_id,
            content,
            aggregate.kind.amount(race.amounts[aggregate.field]),
        )

    async def join(self, event: Event, player: str) -> Joined:
        """Have the player join, stored with everything else that is written."""
        done = await self._desk.submit(Join(event.number, player))
        if not isinstance(done, Joined):
            raise TypeError(done)
        return done
