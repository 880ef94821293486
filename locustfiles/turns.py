"""Each player's writes in turn: the next one waits for the answer to the one before."""

from collections import deque

from locustfiles.arrival import Arrival


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
