"""A process that writes to a ledger until it is stopped or dies; run by tests.

Arguments: one JSON object. Prints one JSON line for each answer it got.
"""

import asyncio
import json
import os
import resource
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from target_service.ledger.errors import LedgerError, LedgerUnwritable
from target_service.ledger.events import Batch, Board, Event, LedgerOptions
from target_service.ledger.sqlite import SqliteLedger

BOARD = Board("s1", "lb:eu:solo:s1")
CROWD = 25


def say(**answer: object) -> None:
    """Print an answer at once: what was not printed was not acknowledged."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def made_batch(name: str, number: int) -> Batch:
    """The batch of this number, the same in every process that makes it."""
    rng = Random(f"{name}-{number}")
    size = rng.randint(2, 60)
    return Batch(
        BOARD,
        [f"{name}-{number}-{index}" for index in range(size)],
        [f"{name}-player-{rng.randrange(200)}" for _ in range(size)],
        [rng.randrange(10_001) for _ in range(size)],
        [number * 1_000 + index + 1 for index in range(size)],
    )


async def write_until_killed(ledger: SqliteLedger, name: str, start: int) -> None:
    """Submit batch after batch, four at a time, and mark most of them projected."""

    async def caller(number: int) -> None:
        while True:
            outcome = await ledger.submit_batch(made_batch(name, number))
            say(batch=number, versions=[outcome.versions.start, outcome.versions.stop])
            if number % 3:
                ledger.mark_projected(outcome.versions)
            number += 4

    await asyncio.gather(*(caller(start + offset) for offset in range(4)))


async def race(ledger: SqliteLedger, name: str, seed: int, writers: int) -> None:
    """Submit every sequence of one player once, shuffled, from many writers at once."""
    sequences = list(range(1, writers * CROWD + 1))
    Random(seed).shuffle(sequences)

    async def writer(mine: list[int]) -> None:
        for sequence in mine:
            event = Event(f"{name}-{sequence}", "hero", BOARD, sequence * 10, sequence)
            await ledger.submit(event)

    await asyncio.gather(*(writer(sequences[number::writers]) for number in range(writers)))


async def take_turns(ledger: SqliteLedger, name: str, rounds: int, groups: int) -> None:
    """In each round store group after group without a pause, and say which numbers they got."""
    for begin in range(0, rounds * groups, groups):
        if begin:
            sys.stdin.readline()
        batches = [made_batch(name, number) for number in range(begin, begin + groups)]
        say(versions=[(await ledger.submit_batch(one)).versions.start for one in batches])


async def fill_disk(ledger: SqliteLedger, limit_bytes: int) -> None:
    """Write up to a file-size limit, read there, then write again without the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    acknowledged = number = 0
    error = None
    while error is None:
        number += 1
        try:
            outcome = await ledger.submit_batch(made_batch("fill", number))
        except LedgerUnwritable as refused:
            error = refused
        else:
            acknowledged = outcome.versions.stop - 1
    facts = await ledger.facts()
    with ledger.snapshot("s1") as snapshot:
        players = sum(map(len, snapshot))
    say(
        error=type(error).__name__,
        sentence=str(error),
        acknowledged=acknowledged,
        last_change=facts.last_change,
        trouble=facts.trouble,
        players=players,
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    outcome = await ledger.submit_batch(made_batch("fill", number))
    facts = await ledger.facts()
    say(applied=len(outcome.versions), size=len(made_batch("fill", number)), trouble=facts.trouble)


async def write_where_forbidden(ledger: SqliteLedger) -> None:
    """Read, then try to write."""
    standings = await ledger.standings("s1", ["ann"])
    try:
        await ledger.submit(Event("new", "ann", BOARD, 1))
    except LedgerError as refused:
        say(score=standings["ann"].score, error=type(refused).__name__, sentence=str(refused))


JOBS: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
    "write": write_until_killed,
    "race": race,
    "turns": take_turns,
    "fill": fill_disk,
    "forbidden": write_where_forbidden,
}


async def main(path: Path, what: str, user: int | None, **arguments: Any) -> None:  # noqa: ANN401 - whatever the job takes
    """Open the ledger, do one job, close it."""
    if user is not None:
        # Threads are imported at first use, from where that user may not look.
        await asyncio.to_thread(os.getpid)
        os.setuid(user)
    options = LedgerOptions(compaction_changes=300, compaction_seconds=0.2, upkeep_rows=50)
    ledger = SqliteLedger(path, options)
    say(ready=True)
    sys.stdin.readline()
    try:
        await JOBS[what](ledger, **arguments)
    finally:
        await ledger.close()


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    with suppress(BrokenPipeError):
        asyncio.run(
            main(Path(given.pop("path")), given.pop("what"), given.pop("user", None), **given)
        )
