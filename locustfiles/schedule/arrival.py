"""One request that the schedule wants sent."""

from collections.abc import Iterator
from itertools import repeat
from typing import NamedTuple

from workload.arrivals import Schedule, slice_of


class Arrival(NamedTuple):
    """When a request is due, and which player and score it names; -1 for none.

    `overtaken_by` is the number of a newer event of the player that is sent before this one;
    an arrival with `in_order` waits for the answer to its player's earlier request.
    """

    number: int
    intended_us: int
    player: int
    score: int
    overtaken_by: int | None = None
    in_order: bool = True


def arrivals_of_second(
    schedule: Schedule, second: int, slices: int, slice_index: int
) -> Iterator[Arrival]:
    """The arrivals of one second in one worker's slice, in the order in which they are due."""
    drawn = schedule.second(second)
    mine = slice_of(drawn, slices, slice_index).nonzero()[0]
    return map(
        Arrival,
        (mine + drawn.first_index).tolist(),
        drawn.offsets_us[mine].tolist(),
        repeat(-1) if drawn.players is None else drawn.players[mine].tolist(),
        repeat(-1) if drawn.scores is None else drawn.scores[mine].tolist(),
    )
