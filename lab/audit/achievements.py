"""The audit of members: what was counted against standings, unlocks and the stream."""

import json
import re
import sys
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import redis

from lab.audit.invariants import Invariant, not_comparable
from lab.audit.ledger_file import read_only
from lab.errors import PartFailed
from lab.http_json import NoAnswer, Refused, ask_json
from lab.stack.redis import connect
from lab.stack.stack import Stack
from lab.sweep import Sweeps

_ACHIEVEMENTS_FILE_PATIENCE_SECONDS = 30.0
_ACHIEVEMENTS_FILE_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Track:
    """One counter, and its levels as the service tells them: number to reach, and points."""

    column: str
    achievement: str
    levels: tuple[tuple[int, int], ...]

    def level(self, total: int) -> int:
        """The level that a number reaches."""
        return bisect_right([at for at, _ in self.levels], total)

    def points(self, level: int) -> int:
        """The points of the levels up to this one."""
        return sum(points for _, points in self.levels[:level])


@dataclass(frozen=True)
class Recounted:
    """How many members have a tracking code, and how many of them stand where their row says."""

    members: int
    right: int


@dataclass(frozen=True)
class AchievementsFile:
    """The file of one service; nothing is written."""

    path: Path

    def counted_events(self) -> int:
        """How many events were added to counters in the last day."""
        with read_only(self.path) as connection:
            (rows,) = connection.execute("SELECT count(*) FROM counter_events").fetchone()
        return int(rows)

    def recount(self, tracks: Sequence[Track]) -> Recounted:
        """Recount everybody from their own row, as the service should have."""
        columns = [
            f'c."{one.column}", s."{one.achievement}_total", s."{one.achievement}_level"'
            for one in tracks
        ]
        members = right = 0
        with read_only(self.path) as connection:
            rows = connection.execute(
                f"SELECT points, {', '.join(columns)} FROM member_counters c"  # noqa: S608  checked names
                " LEFT JOIN achievement_standings s USING (member) WHERE tracking_code IS NOT NULL"
            )
            for points, *numbers in rows:
                members += 1
                right += _is_right(tracks, points, numbers)
        return Recounted(members, right)

    def boards(self) -> Mapping[str, dict[str, int]]:
        """Members and points of every organisation."""
        boards: dict[str, dict[str, int]] = {}
        with read_only(self.path) as connection:
            for board, member, points in connection.execute(
                "SELECT organization, member, coalesce(points, 0) FROM member_counters"
                " LEFT JOIN achievement_standings USING (member) WHERE organization IS NOT NULL"
            ):
                boards.setdefault(board, {})[member] = points
        return boards

    def settle(self) -> None:
        """Wait until all unlocks are published, or have had time enough to be."""
        deadline = time.monotonic() + _ACHIEVEMENTS_FILE_PATIENCE_SECONDS
        while self._unpublished() and time.monotonic() < deadline:
            time.sleep(_ACHIEVEMENTS_FILE_POLL_SECONDS)

    def unlocks(self) -> list[tuple[int, str, str, int]]:
        """Number, member, achievement and level of every unlock, published or not."""
        with read_only(self.path) as connection:
            return connection.execute(
                "SELECT number, member, achievement, level FROM achievement_unlocks ORDER BY number"
            ).fetchall()

    def _unpublished(self) -> int:
        with read_only(self.path) as connection:
            (waiting,) = connection.execute(
                "SELECT count(*) FROM achievement_unlocks"
                " WHERE number > (SELECT published_to FROM achievement_state)"
            ).fetchone()
        return int(waiting)


def _is_right(tracks: Sequence[Track], points: int | None, numbers: Sequence[int | None]) -> bool:
    """Whether totals are the counters, levels what these reach, and points those of the levels."""
    earned = 0
    triples = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    for track, (counter, total, level) in zip(tracks, triples, strict=True):
        reached = track.level(counter or 0)
        earned += track.points(reached)
        if (total or 0, level or 0) != (counter, reached):
            return False
    return earned == (points or 0)


COUNT = "count"
STREAM = "achievements:unlocks"
_ACHIEVEMENTS_AUDIT_POLL_SECONDS = 0.1
_ACHIEVEMENTS_AUDIT_PATIENCE_SECONDS = 60.0
_REFUSED_SECONDS = 5.0
# Another sweep is at work, or died and left its lease, which runs out.
_UNDER_WAY = 409
_FRAMES_PER_READ = 5_000
# What the names of counters and achievements become part of is SQL.
_NAME = re.compile(r"[a-z_-]{1,32}")

Unlock = tuple[int, str, str, int]


class _Level(msgspec.Struct):
    at: int
    points: int


class _Achievement(msgspec.Struct):
    achievement: str
    counter: str
    levels: list[_Level]


class _Page(msgspec.Struct):
    achievements: list[_Achievement]


def settle_members(stack: Stack, ledger: Path | str, folder: Path) -> Path | str:
    """Have everybody recounted once more, and wait until what they unlocked is published.

    After that the service writes nothing more to Redis. `ledger` is returned, or why nothing can
    be said of the members; it may be such a reason itself.
    """
    if isinstance(ledger, str) or _measured_members(folder) is None:
        return ledger
    reason = stack.failure()
    if reason is None:
        try:
            sweep_once_more(Sweeps(stack.service_url))
            AchievementsFile(ledger).settle()
        except NoAnswer as error:
            reason = _unanswered(error)
        except PartFailed as error:
            reason = str(error)
        else:
            return ledger
        print(reason, file=sys.stderr)
    return reason


def add_members(audited: dict[str, Any], stack: Stack, ledger: Path | str, folder: Path) -> None:
    """Add to an audit what can be said of the members; `ledger` may be why nothing can be."""
    measurements = _measured_members(folder)
    if measurements is None:
        return
    reason = ledger if isinstance(ledger, str) else stack.failure()
    if reason is None:
        try:
            file = AchievementsFile(Path(ledger))
            found = achievements_invariants(stack, file, measurements)
        except (PartFailed, redis.RedisError) as error:
            reason = str(error)
            print(reason, file=sys.stderr)
        else:
            audited["invariants"] += [one.document() for one in found]
    if reason is not None:
        audited["not_comparable"].append(not_comparable("achievements", reason))


def _measured_members(folder: Path) -> Mapping[str, Any] | None:
    """What a run measured; None when it had no members, or never got as far as sending anything."""
    try:
        measurements: Mapping[str, Any] = json.loads((folder / "measurements.json").read_bytes())
    except FileNotFoundError:
        return None
    return measurements if COUNT in measurements["operations"] else None


def _unanswered(error: NoAnswer) -> str:
    return f"The service did not answer the audit of members: {error}."


def achievements_invariants(
    stack: Stack, file: AchievementsFile, measurements: Mapping[str, Any]
) -> list[Invariant]:
    """Compare all there is, once everybody was settled.

    Raises:
        PartFailed: the service or the file does not answer.
        RedisError: the server does not.
    """
    whole = measurements["operations"][COUNT]["all"]
    told = whole["statuses"].get("applied", 0)
    try:
        boards = file.boards()
        tracks = _tracks(stack.service_url, boards)
        recounted = file.recount(tracks)
        equal, entries = _compare(stack, boards)
    except NoAnswer as error:
        raise PartFailed(_unanswered(error)) from None
    unlocks = file.unlocks()
    frames, trimmed = _frames(stack.redis_url)
    rows = file.counted_events()
    return [
        Invariant("counters: events told as applied ≤ events on record", told, "≤", rows),
        Invariant(
            "counters: events on record ≤ told + unknown", rows, "≤", told + whole["unknown"]
        ),
        Invariant(
            "achievements: standings that equal a recount from the row = members",
            recounted.right,
            "=",
            recounted.members,
        ),
        Invariant(
            "achievements: points on a board that are the standing's = members on boards",
            equal,
            "=",
            entries,
        ),
        _published(frames, trimmed, unlocks),
    ]


def _published(frames: list[Unlock], trimmed: int, unlocks: list[Unlock]) -> Invariant:
    """Compare the stream with the record of unlocks, number by number.

    `trimmed` is how many of the oldest frames the stream has dropped since.
    """
    kept = unlocks[trimmed:]
    same = sum(frame == unlock for frame, unlock in zip(frames, kept, strict=False))
    return Invariant(
        "achievements: unlocks published once and in their order = unlocks",
        trimmed + same,
        "=",
        max(trimmed + len(frames), len(unlocks)),
    )


def sweep_once_more(sweeps: Sweeps) -> None:
    """Recount everybody who moved since the last sweep; wait for one that is at work.

    A service that refuses for another reason, such as a full disk, does not change its mind soon.

    Raises:
        NoAnswer: there was no such sweep, for whatever reason.
    """
    begun_at = time.monotonic()
    while True:
        try:
            sweeps.follow(sweeps.begin())
        except NoAnswer as error:
            is_final = isinstance(error, Refused) and error.status != _UNDER_WAY
            patience = _REFUSED_SECONDS if is_final else _ACHIEVEMENTS_AUDIT_PATIENCE_SECONDS
            if time.monotonic() > begun_at + patience:
                raise
            time.sleep(_ACHIEVEMENTS_AUDIT_POLL_SECONDS)
        else:
            return


def _tracks(url: str, boards: Mapping[str, Mapping[str, int]]) -> list[Track]:
    member = next((name for board in boards.values() for name in board), None)
    if member is None:
        return []
    page = _page(f"{url}/v1/members/{quote(member, safe='')}/achievements")
    names = (name for one in page.achievements for name in (one.counter, one.achievement))
    if not all(_NAME.fullmatch(name) for name in names):
        raise NoAnswer("it tells of counters or achievements that are none")
    return [
        Track(one.counter, one.achievement, tuple((level.at, level.points) for level in one.levels))
        for one in page.achievements
    ]


def _compare(stack: Stack, boards: Mapping[str, Mapping[str, int]]) -> tuple[int, int]:
    """Entries that the file and Redis have in common, of all that either has.

    A board is asked for first: it is brought up to the ledger when it is read.
    """
    equal = entries = 0
    with connect(stack.redis_url) as client:
        for board, points in boards.items():
            name = quote(board, safe="")
            ask_json(f"{stack.service_url}/v1/organizations/{name}/leaderboard")
            found = client.zrange(f"achievements:points:{name}", 0, -1, withscores=True)
            held = {member: int(score) for member, score in found}
            entries += len(points.keys() | held.keys())
            equal += len(points.items() & held.items())
    return equal, entries


def _frames(redis_url: str) -> tuple[list[Unlock], int]:
    """Every frame on the stream, in order, and how many of the oldest it has dropped since."""
    frames: list[Unlock] = []
    after = "-"
    with connect(redis_url) as client:
        while page := client.xrange(STREAM, min=after, count=_FRAMES_PER_READ):
            for entry, fields in page:
                number = int(entry.partition("-")[0])
                frames.append(
                    (number, fields["member"], fields["achievement"], int(fields["level"]))
                )
            after = f"({page[-1][0]}"
        added = client.xinfo_stream(STREAM)["entries-added"] if frames else 0
    return frames, max(0, int(added) - len(frames))


def _page(url: str) -> _Page:
    try:
        return msgspec.convert(ask_json(url), _Page)
    except msgspec.ValidationError as error:
        raise NoAnswer(f"its answer is of another form: {error}") from None
