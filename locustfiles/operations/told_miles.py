"""What clients were told of miles, to check that no later answer says less."""

from collections import OrderedDict, defaultdict
from typing import Final

# More requests than this are never on their way at once; of a failed one nobody asks again.
_ON_THEIR_WAY: Final = 20_000


class ToldMiles:
    """By player, whose arrivals are all sent by one process, which has this; and in total."""

    def __init__(self) -> None:
        self._total = 0
        self._told: dict[int, int] = defaultdict(int)
        # Operations number their arrivals each for itself.
        self._floors: OrderedDict[tuple[str, int], int] = OrderedDict()

    def counted(self, player: int, miles: int) -> None:
        """Note that the service said it has counted miles of a player."""
        self._told[player] += miles

    def total(self, miles: int) -> None:
        """Note that a poll was told this total."""
        self._total = max(self._total, miles)

    def ask(self, operation: str, number: int, player: int) -> None:
        """Remember what a read that is sent now must at least find."""
        self._remember(operation, number, self._told.get(player, 0))

    def ask_total(self, operation: str, number: int) -> None:
        """Remember what a poll that is sent now must at least be told."""
        self._remember(operation, number, self._total)

    def at_least(self, operation: str, number: int) -> int:
        """What the answer to that request must at least say."""
        return self._floors.pop((operation, number), 0)

    def _remember(self, operation: str, number: int, miles: int) -> None:
        self._floors[operation, number] = miles
        if len(self._floors) > _ON_THEIR_WAY:
            self._floors.popitem(last=False)
