"""What players were told was counted for them, for whoever checks that they can read it."""

from collections import OrderedDict, defaultdict
from typing import Final

# More requests than this are never on their way at once; of a failed one nobody asks again.
_ON_THEIR_WAY: Final = 20_000


class ToldMiles:
    """By player; the arrivals of one player are all sent by one process, which has this."""

    def __init__(self) -> None:
        self._told: dict[int, int] = defaultdict(int)
        self._floors: OrderedDict[int, int] = OrderedDict()

    def counted(self, player: int, miles: int) -> None:
        """Note that the service said it has counted miles of a player."""
        self._told[player] += miles

    def ask(self, number: int, player: int) -> None:
        """Remember what a read that is sent now must at least find."""
        self._floors[number] = self._told.get(player, 0)
        if len(self._floors) > _ON_THEIR_WAY:
            self._floors.popitem(last=False)

    def at_least(self, number: int) -> int:
        """What the answer to that read must at least say."""
        return self._floors.pop(number, 0)
