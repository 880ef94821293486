"""The bounded queue in which due requests wait for a free connection, each player's in order."""

from collections import deque
from collections.abc import Callable

from gevent.lock import Semaphore

from locustfiles.schedule.arrival import Arrival


class Turns:
    """Parks arrivals whose player is busy, so that they block no connection meanwhile."""

    def __init__(self) -> None:
        self._parked: dict[int, deque[Arrival]] = {}

    def take(self, arrival: Arrival) -> bool:
        """Let an arrival go ahead, or park it behind its player's earlier one."""
        waiting = self._parked.get(arrival.player)
        if waiting is None:
            self._parked[arrival.player] = deque()
            return True
        waiting.append(arrival)
        return False

    def give_back(self, player: int) -> Arrival | None:
        """End a player's turn; its next arrival, if one is parked, goes ahead."""
        waiting = self._parked[player]
        if waiting:
            return waiting.popleft()
        del self._parked[player]
        return None


class WaitingLine:
    """First come, first served; who waits past the deadline or finds the line full is dropped.

    With turns, an arrival whose player is busy is parked: it counts as waiting, but the
    connections serve others until its player's earlier request has its outcome.
    """

    def __init__(
        self,
        limit: int,
        has_expired: Callable[[Arrival], bool],
        on_drop: Callable[[Arrival], None],
        turns: Turns | None,
    ) -> None:
        self._limit = limit
        self._has_expired = has_expired
        self._on_drop = on_drop
        self._turns = turns
        self._due: deque[Arrival] = deque()
        self._parked = 0
        # Counts at least the arrivals in line; an arrival dropped meanwhile leaves one too many.
        self._wakes = Semaphore(0)
        self._is_closed = False

    def join(self, arrival: Arrival) -> None:
        """Line up a due arrival, or drop it."""
        if self._is_full():
            self._on_drop(arrival)
        elif self._turns is not None and arrival.in_turn and not self._turns.take(arrival):
            self._parked += 1
        else:
            self._due.append(arrival)
            self._wakes.release()

    def next(self) -> Arrival:
        """Wait for the next arrival that can still be sent."""
        while True:
            self._wakes.acquire()
            if not self._due:
                continue
            arrival = self._due.popleft()
            if not self._is_closed and not self._has_expired(arrival):
                return arrival
            self._drop(arrival)

    def finish(self, arrival: Arrival) -> None:
        """Note that an arrival has its outcome, so that its player's next one may go."""
        if self._turns is None or not arrival.in_turn:
            return
        parked = self._turns.give_back(arrival.player)
        if parked is None:
            return
        self._parked -= 1
        if self._is_closed:
            self._drop(parked)
            return
        # It has waited longest among those that come after its player's earlier one.
        self._due.appendleft(parked)
        self._wakes.release()

    def close(self) -> None:
        """Drop everybody in line, and whoever would still come forward."""
        self._is_closed = True
        while self._due:
            self._drop(self._due.popleft())

    def _is_full(self) -> bool:
        if len(self._due) + self._parked < self._limit:
            return False
        while self._due and self._has_expired(self._due[0]):
            self._drop(self._due.popleft())
        return len(self._due) + self._parked >= self._limit

    def _drop(self, arrival: Arrival) -> None:
        self._on_drop(arrival)
        self.finish(arrival)
