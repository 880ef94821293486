"""Putting a global top together from the partitions."""

import math
from collections.abc import Mapping

from target_service.global_top.made_top import MadeTop, monotonic_us
from target_service.http.fields import K_RANGE
from target_service.leaderboard.entries import merge
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.store import Store
from target_service.redis_wire.command import Command, Reply, Uncounted
from target_service.redis_wire.packing import pack

_TIME = Command(pack("TIME"), Uncounted())


class Making:
    """Reads as little of each partition as proves the first thousand, each in one command.

    A thousand of each partition would suffice, and most of them would be thrown away. So every
    partition is first asked for twice its fair share, and one whose last entry is still among the
    first thousand is asked again, for all of them. It is the threshold algorithm of Fagin, Lotem
    and Naor with a single step.
    """

    def __init__(self, store: Store, depth: int = K_RANGE[1]) -> None:
        self._store = store
        self._depth = depth

    async def make(self, season: str) -> MadeTop:
        """Read and merge; raises what the pipeline does, or BoardUnavailable."""
        store, depth = self._store, self._depth
        keys = store.boards.keys_of(season)
        share = min(depth, math.ceil(2 * depth / len(keys)))
        commands = [store.commands[key].top(share) for key in keys]
        made_us = monotonic_us()
        # The server runs them in this order, so that no partition is read before this moment.
        ((seconds, microseconds), *found), _ = await store.pipeline.run(
            [_TIME, *commands, *store.marks(*keys)]
        )
        read = dict(zip(keys, found, strict=False))
        marks = found[len(keys) :]
        depths = dict.fromkeys(keys, share)
        while deeper := unproven(read, depths, depth):
            again = [store.commands[key].top(depth) for key in deeper]
            found, _ = await store.pipeline.run([*again, *store.marks(*keys)])
            read |= zip(deeper, found, strict=False)
            marks = found[len(deeper) :]
            depths |= dict.fromkeys(deeper, depth)
        entries, candidates = merge(read.items(), depth)
        recovering = any_behind(store.freshness, keys, marks, [not read[key] for key in keys])
        as_of_us = int(seconds) * 1_000_000 + int(microseconds)
        return MadeTop(season, as_of_us, candidates, recovering, entries, made_us)


def unproven(read: Mapping[str, Reply], depths: Mapping[str, int], k: int) -> list[str]:
    """Name the partitions of which an entry that was not read may be among the first k."""
    entries, _ = merge(read.items(), k)
    last = (entries[-1].score, entries[-1].player) if len(entries) == k else None
    return [
        key
        for key, reply in read.items()
        if depths[key] < k
        and len(reply) == 2 * depths[key]
        and (last is None or (int(float(reply[-1])), reply[-2]) > last)
    ]
