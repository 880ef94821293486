"""The condition of the boards in Redis, and what this process knows of them."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from redis.exceptions import ResponseError

from target_service.http.problems import BoardUnavailable
from target_service.projection.guarded_writes import (
    GUARDED_WRITE,
    MARK,
    VERSIONS,
    Written,
    companion,
)
from target_service.projection.quarantine import Quarantine
from target_service.projection.state import Progress
from target_service.redis.commands import Command, Reply, Uncounted, pack
from target_service.redis.pipeline import Pipeline

_FIELDS = ("epoch", "ready", "ledger", "newest", "writes")
_SCRIPT_KNOWN = Command(pack("SCRIPT", "EXISTS", GUARDED_WRITE.digest), Uncounted())


class Condition(Enum):
    """The condition of a board in Redis."""

    WHOLE = "holds everything that was written to it"
    BEHIND = "holds our scores, but has lost some"
    GONE = "is missing, or is not ours"


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a board in Redis, and how many players and versions the board has."""

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
    def from_replies(cls, fields: Reply, versions: int, members: int) -> "Mark":
        """Make a mark from the replies to `mark_commands`."""
        epoch, ready, ledger, newest, writes = fields
        return cls(epoch, ready, ledger, int(newest or 0), int(writes or 0), versions, members)


# For a key of another type in the place of a board: nothing can be read of it.
NO_MARK = Mark(None, None, None, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Inspected:
    """The boards' marks, why others cannot be read, and whether the guard script is known.

    A server without the script has been restarted: nothing is written until its boards are
    judged.
    """

    marks: Mapping[str, Mark]
    refused: Mapping[str, ResponseError]
    script_known: bool


class Inspection:
    """Reads the marks of board keys; these commands are upkeep and count as no hit."""

    def __init__(self, pipeline: Pipeline, keys: Sequence[str]) -> None:
        self._pipeline = pipeline
        self._commands = {key: mark_commands(key) for key in keys}

    async def read_marks(self) -> Inspected:
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
                marks[key] = Mark.from_replies(*found.replies)
        return Inspected(marks, refused, bool(script.replies[0][0]))


def is_wrong_type(error: ResponseError) -> bool:
    """Tell whether a key of another type has the name of a board or of its companion keys."""
    return str(error).startswith("WRONGTYPE")


def mark_commands(key: str) -> Sequence[Command]:
    """Read mark, versions, members; each only grows, so a write in between looks like no loss."""
    return (
        Command(pack("HMGET", companion(key, MARK), *_FIELDS), Uncounted()),
        Command(pack("HLEN", companion(key, VERSIONS)), Uncounted()),
        Command(pack("ZCARD", key), Uncounted()),
    )


def judge(mark: Mark, ledger_id: str, last_change: int, rows: Sequence[Progress]) -> Condition:
    """Judge a board by what was known of it before its mark was read.

    `rows` are the row of the projection's state and the progress this process has seen since;
    they are empty for an unknown board.
    """
    if mark.is_lost or mark.ledger != ledger_id or mark.newest > last_change or not rows:
        return Condition.GONE
    written = max(row.writes for row in rows if row.epoch == rows[0].epoch)
    is_whole = mark.epoch == mark.ready == rows[0].epoch and mark.writes >= written
    return Condition.WHOLE if is_whole else Condition.BEHIND


class Conditions:
    """Which boards are behind or gone, and the latest progress seen of each.

    A board is behind while it is rebuilt, and while writes wait that did not reach it.
    """

    def __init__(self, quarantine: Quarantine) -> None:
        self._quarantine = quarantine
        self._conditions: dict[str, Condition] = {}
        self._missed: dict[str, float] = {}
        self._progress: dict[str, Progress] = {}
        self.doubted = asyncio.Event()

    def check(self, key: str) -> bool:
        """Tell whether answers from the board may be behind; raises when it is gone."""
        condition = self._conditions.get(key)
        if condition is Condition.GONE:
            raise self.unavailable(key)
        return condition is Condition.BEHIND or key in self._missed

    def unavailable(self, key: str) -> BoardUnavailable:
        """Return the error to raise instead of an answer, with Redis' refusal if there was one."""
        return BoardUnavailable(key, self._quarantine.refusal(key))

    def doubt(self, key: str) -> None:
        """Note that a write did not reach the board, and have the board checked soon."""
        self._missed[key] = time.monotonic()
        self.doubted.set()

    def note_progress(self, key: str, written: Written) -> None:
        """Note the progress of a board, unless more of the same epoch is known."""
        before = self._progress.get(key)
        if before is None or before.epoch != written.epoch or before.writes < written.writes:
            self._progress[key] = Progress(written.epoch, written.writes)

    def progress(self) -> Mapping[str, Progress]:
        """The latest progress seen of each board."""
        return dict(self._progress)

    def update(self, conditions: Mapping[str, Condition]) -> None:
        """Replace the conditions of these boards."""
        self._conditions.update(conditions)

    def rebuilt(self, keys: Collection[str], begun: float) -> None:
        """Note that boards have again every write accepted before their rebuild began."""
        for key in keys:
            if self._missed.get(key, begun) < begun:
                del self._missed[key]

    def replayed(self, waiting: Collection[str], missed_before: float) -> None:
        """Note that of the writes missed before then only those of `waiting` boards still wait."""
        self._missed = {
            key: missed
            for key, missed in self._missed.items()
            if missed >= missed_before or key in waiting
        } | dict.fromkeys(waiting, missed_before)
