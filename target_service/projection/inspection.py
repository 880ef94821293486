"""What state the boards in Redis are in, judged by the ledger's book."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from redis.exceptions import ResponseError

from target_service.projection.book import Progress
from target_service.projection.companions import MARK, VERSIONS, companion
from target_service.projection.guard_script import GUARD
from target_service.redis_wire.command import Command, Reply, Uncounted
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline

_FIELDS = ("epoch", "ready", "ledger", "newest", "writes")
_SCRIPT_KNOWN = Command(pack("SCRIPT", "EXISTS", GUARD.digest), Uncounted())


class Condition(Enum):
    """What can be said of a board in Redis."""

    WHOLE = "holds what the book says"
    BEHIND = "holds our scores, but has lost some"
    GONE = "is missing, or is not ours"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a board in Redis says of itself, and how many players and versions it has."""

    epoch: str | None
    ready: str | None
    ledger: str | None
    newest: int
    writes: int
    versions: int
    members: int

    @property
    def is_lost(self) -> bool:
        """Whether the mark, the board or its versions are gone, or a part of the board is."""
        has_versions = self.versions > 0 or not self.writes
        return self.epoch is None or self.members < self.versions or not has_versions

    @classmethod
    def of(cls, fields: Reply, versions: int, members: int) -> "Mark":
        """Make it from the replies."""
        epoch, ready, ledger, newest, writes = fields
        return cls(epoch, ready, ledger, int(newest or 0), int(writes or 0), versions, members)


# What stands in the place of a board and is none: nothing can be read of it.
NO_MARK = Mark(None, None, None, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Inspected:
    """The boards' marks, why others cannot be read, and whether the guard script is known.

    A server that does not know it was started anew: nothing is written until its boards were
    judged.
    """

    marks: Mapping[str, Mark]
    refused: Mapping[str, ResponseError]
    script_known: bool


class Inspection:
    """Reads the marks of board keys; upkeep, and no hit."""

    def __init__(self, pipeline: Pipeline, keys: Sequence[str]) -> None:
        self._pipeline = pipeline
        self._commands = {key: reading(key) for key in keys}

    async def look(self) -> Inspected:
        """Read all marks at once; an error about one board leaves the others readable."""
        script, *boards = await asyncio.gather(
            self._pipeline.run((_SCRIPT_KNOWN,)),
            *map(self._pipeline.run, self._commands.values()),
            return_exceptions=True,
        )
        if isinstance(script, BaseException):
            raise script
        marks: dict[str, Mark] = {}
        refused: dict[str, ResponseError] = {}
        for key, found in zip(self._commands, boards, strict=True):
            if isinstance(found, ResponseError):
                if is_wrong_type(found):
                    marks[key] = NO_MARK
                else:
                    refused[key] = found
            elif isinstance(found, BaseException):
                raise found
            else:
                marks[key] = Mark.of(*found.replies)
        return Inspected(marks, refused, bool(script.replies[0][0]))


def is_wrong_type(error: ResponseError) -> bool:
    """Tell whether something that is no board, or none of its companions, has its name."""
    return str(error).startswith("WRONGTYPE")


def reading(key: str) -> Sequence[Command]:
    """Mark, versions, members: each only grows, so that a write in between is no loss."""
    return (
        Command(pack("HMGET", companion(key, MARK), *_FIELDS), Uncounted()),
        Command(pack("HLEN", companion(key, VERSIONS)), Uncounted()),
        Command(pack("ZCARD", key), Uncounted()),
    )


def judge(mark: Mark, ledger_id: str, last_change: int, rows: Sequence[Progress]) -> Condition:
    """Judge a board by what was known of it before its mark was read.

    That is the book's row, and what this process has seen since; nothing for an unknown board.
    """
    if mark.is_lost or mark.ledger != ledger_id or mark.newest > last_change or not rows:
        return Condition.GONE
    written = max(row.writes for row in rows if row.epoch == rows[0].epoch)
    is_whole = mark.epoch == mark.ready == rows[0].epoch and mark.writes >= written
    return Condition.WHOLE if is_whole else Condition.BEHIND
