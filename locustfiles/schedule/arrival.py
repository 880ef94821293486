"""One request that the schedule wants sent."""

from collections.abc import Iterator
from itertools import repeat
from typing import NamedTuple

from workload.arrivals import Schedule, slice_of


class Arrival(NamedTuple):
    """When a request is due, and whom it is about; -1 where it names no player or score.

    `overtaken_by` is the number of a newer event of the player that is sent before this one;
    one that is not `in_turn` does not wait for the answer to its player's earlier request.
    """

    number: int
    intended_us: int
    player: int
    score: int
    overtaken_by: int | None = None
    in_turn: bool = True


def arrivals_of_second(
    schedule: Schedule, second: int, slices: int, slice_index: int
) -> Iterator[Arrival]:
    """The arrivals of one second that one of several workers sends, in the order they are due."""
    drawn = schedule.second(second)
    mine = slice_of(drawn, slices, slice_index).nonzero()[0]
    return map(
        Arrival,
        (mine + drawn.first_index).tolist(),
        drawn.offsets_us[mine].tolist(),
        repeat(-1) if drawn.players is None else drawn.players[mine].tolist(),
        repeat(-1) if drawn.scores is None else drawn.scores[mine].tolist(),
    )
