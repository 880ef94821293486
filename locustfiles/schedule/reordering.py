"""Events that do not come once and in order: some are sent twice, some after a newer one.

A share of the arrivals keep their place in the schedule and deliver another event. Half of them go
out together with the event they repeat or overtake, without waiting for its answer; the others come
up to some hundred events later. So the offered rate stays what the model says.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from locustfiles.schedule.arrival import Arrival
from locustfiles.schedule.clock import MICROSECONDS
from workload.load import LoadSettings

# A second's worth at the default scale.
_REMEMBERED: Final = 240

Delivery = Literal["resent", "overtaken"]


class Reordering:
    """Changes every n-th arrival; it must be given all arrivals of the schedule, in order."""

    def __init__(self, load: LoadSettings) -> None:
        self._resent_every = _every(load.resent_share)
        self._overtaken_every = _every(load.overtaken_share)
        self._earlier: deque[Arrival] = deque(maxlen=_REMEMBERED)

    def apply(self, arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
        """Change some of the arrivals; each stays in its second."""
        for arrival in arrivals:
            delivery = self._delivery(arrival.number)
            if delivery is None or not self._earlier:
                self._earlier.append(arrival)
                yield arrival
            else:
                yield self._changed(arrival, delivery)

    def _delivery(self, number: int) -> Delivery | None:
        if self._resent_every and number % self._resent_every == 0:
            return "resent"
        if self._overtaken_every and number % self._overtaken_every == 0:
            return "overtaken"
        return None

    def _changed(self, arrival: Arrival, delivery: Delivery) -> Arrival:
        latest, oldest = self._earlier[-1], self._earlier[0]
        together = _second(latest) == _second(arrival) and self._goes_together(arrival, delivery)
        about = latest if together else oldest
        due_us = latest.intended_us if together else arrival.intended_us
        if delivery == "resent":
            return about._replace(intended_us=due_us, in_order=not together)
        return arrival._replace(
            intended_us=due_us,
            player=about.player,
            overtaken_by=about.number,
            in_order=not together,
        )

    def _goes_together(self, arrival: Arrival, delivery: Delivery) -> bool:
        every = self._resent_every if delivery == "resent" else self._overtaken_every
        return arrival.number // every % 2 == 0


def _every(share: float) -> int:
    return round(1 / share) if share else 0


def _second(arrival: Arrival) -> int:
    return arrival.intended_us // MICROSECONDS
