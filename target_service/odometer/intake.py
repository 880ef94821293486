"""The one way in: whatever brings deliveries, `take` is what applies them."""

from collections import Counter
from collections.abc import Callable, Sequence

from target_service.http.fields import BadFields, bounded
from target_service.ledger.bounded_queue import GroupCommit, ReadQueue
from target_service.odometer import tables as event_rows
from target_service.odometer import waiting
from target_service.odometer.deliveries import (
    Deliver,
    Delivered,
    Done,
    Join,
    Joined,
    Order,
    Outcome,
    SetAside,
    TakeWaiting,
    WaitingTaken,
    Way,
    delivery_of,
    misfits,
)
from target_service.odometer.event import Event
from target_service.odometer.race import Completed
from target_service.odometer.series import OdometerSeries
from target_service.timestamps import wall_clock_ms


class Intake:
    """Fits races to their events, has them applied, and counts what became of them.

    An event's number and aggregate never change and no event is ever removed, so what is known
    of it here stays true.
    """

    def __init__(
        self,
        desk: GroupCommit[Order, Done],
        questions: ReadQueue,
        series: OdometerSeries,
        now_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        self._desk = desk
        self._questions = questions
        self._now_ms = now_ms
        self._known: dict[str, Event] = {}
        self._count = {outcome: series.deliveries.labels(outcome.value).inc for outcome in Outcome}
        self._count_rejected = series.deliveries.labels("rejected").inc

    async def take(self, races: Sequence[Completed], way: Way) -> Sequence[Outcome]:
        """Return what became of each race once all of it is on disk.

        Raises:
            BadFields: an event is not known, or a race lacks what its event counts; nothing of
                it was applied.

        """
        await self.fitting(races)
        deliveries = [delivery_of(self._known[race.event_id], race) for race in races]
        done = await self._desk.submit(Deliver(deliveries, way), len(deliveries))
        if not isinstance(done, Delivered):
            raise TypeError(done)
        self._tell(done.outcomes)
        return done.outcomes

    async def fitting(self, races: Sequence[Completed]) -> Sequence[Completed]:
        """Return the races if all of them can be taken; raises BadFields."""
        for event_id in {race.event_id for race in races} - self._known.keys():
            await self.event(event_id)
        known = self._known
        problems = bounded(one for race in races for one in misfits(known.get(race.event_id), race))
        if problems:
            raise BadFields(problems)
        return races

    async def set_aside(self, what: SetAside) -> None:
        """Keep what is refused where it can be looked at, and what is early until it is due."""
        await self._desk.submit(what, len(what.refused) + len(what.early))
        self._count_rejected(len(what.refused))

    async def take_waiting(self) -> bool:
        """Take races that need not wait any longer; tell whether there were any."""
        now_ms = self._now_ms()
        if not await self._questions.ask(lambda c: waiting.is_any_due(c, now_ms)):
            return False
        done = await self._desk.submit(TakeWaiting())
        if not isinstance(done, WaitingTaken):
            raise TypeError(done)
        self._tell(done.outcomes)
        self._count_rejected(done.refused)
        return True

    async def event(self, event_id: str) -> Event | None:
        """Return the event as it was when it was first asked for; None when there is none."""
        known = self._known.get(event_id)
        if known is None:
            known = await self._questions.ask(lambda c: event_rows.find(c, event_id))
            if known is not None:
                self._known[event_id] = known
        return known

    async def join(self, event: Event, player: str) -> Joined:
        """Have the player join, stored with everything else that is written."""
        done = await self._desk.submit(Join(event.number, player))
        if not isinstance(done, Joined):
            raise TypeError(done)
        return done

    def _tell(self, outcomes: Sequence[Outcome]) -> None:
        for outcome, times in Counter(outcomes).items():
            self._count[outcome](times)
