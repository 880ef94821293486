"""The bounded queue in which due requests wait for a free connection, each player's in order."""

from collections import deque
from collections.abc import Callable

from gevent.lock import Semaphore

from locustfiles.schedule.arrival import Arrival


class PerPlayerOrder:
    """Keeps each player's requests in order: an arrival waits here while its player is busy."""

    def __init__(self) -> None:
        self._parked: dict[int, deque[Arrival]] = {}

    def admit(self, arrival: Arrival) -> bool:
        """Whether an arrival may go now; if not, it is parked behind its player's earlier one."""
        waiting = self._parked.get(arrival.player)
        if waiting is None:
            self._parked[arrival.player] = deque()
            return True
        waiting.append(arrival)
        return False

    def release(self, player: int) -> Arrival | None:
        """The player's next parked arrival, which may be sent now; None when there is none."""
        waiting = self._parked[player]
        if waiting:
            return waiting.popleft()
        del self._parked[player]
        return None


class RequestQueue:
    """First in, first out; an arrival that waits too long or finds the queue full is dropped.

    With a per-player order, an arrival whose player is busy is parked: it counts as waiting, but
    connections send other arrivals until the player's earlier request has its outcome.
    """

    def __init__(
        self,
        limit: int,
        has_expired: Callable[[Arrival], bool],
        on_drop: Callable[[Arrival], None],
        player_order: PerPlayerOrder | None,
    ) -> None:
        self._limit = limit
        self._has_expired = has_expired
        self._on_drop = on_drop
        self._player_order = player_order
        self._due: deque[Arrival] = deque()
        self._parked = 0
        # Counts at least the queued arrivals; one that is dropped leaves the count too high.
        self._wakes = Semaphore(0)
        self._is_closed = False

    def put(self, arrival: Arrival) -> None:
        """Queue a due arrival, or drop it."""
        if self._is_full():
            self._on_drop(arrival)
        elif (
            self._player_order is not None
            and arrival.in_order
            and not self._player_order.admit(arrival)
        ):
            self._parked += 1
        else:
            self._due.append(arrival)
            self._wakes.release()

    def get(self) -> Arrival:
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
        """Let the player's next arrival go, now that this one has its outcome."""
        if self._player_order is None or not arrival.in_order:
            return
        parked = self._player_order.release(arrival.player)
        if parked is None:
            return
        self._parked -= 1
        if self._is_closed:
            self._drop(parked)
            return
        # It has waited longer than every arrival that came after its player's earlier one.
        self._due.appendleft(parked)
        self._wakes.release()

    def close(self) -> None:
        """Drop every queued arrival, and each parked one when it may go."""
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
