"""The raw files of a run, each replaced as a whole, so that a reader never sees half of one."""

import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from math import floor
from pathlib import Path
from typing import Any, Final

import gevent

from locustfiles.operations.places import Places
from locustfiles.recording.documents import settled_lines
from locustfiles.recording.key_watch import KeyWatch
from locustfiles.recording.last_scores import LastScores
from locustfiles.recording.recording import Recording
from locustfiles.run.plan import Plan

_SECONDS_FILE: Final = "seconds.jsonl"
# A request has its outcome within its own limits; a report that comes later than this after them
# gets a line of its own.
_REPORT_SECONDS: Final = 10
_ROWS_PER_PIECE: Final = 200


class RunFiles:
    """Writes into one run directory; lets other greenlets run between the pieces of a file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def make_directory(self) -> None:
        """Make the directory, which may be there already."""
        self._directory.mkdir(parents=True, exist_ok=True)

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        """Write a small document, indented so that people can read it."""
        self.write_pieces(name, [json.dumps(content, indent=2, ensure_ascii=False), "\n"])

    def append_lines(self, name: str, length: int, lines: Iterable[str]) -> int:
        """Write lines behind the first `length` bytes of a file; returns its length then."""
        text = "".join(lines).encode()
        place = self._directory / name
        if text:
            with place.open("r+b" if length else "wb") as file:
                # what an earlier try left behind on a full disk is written over
                file.seek(length)
                file.write(text)
                file.truncate()
        return length + len(text)

    def copy_file(self, name: str, directory: Path) -> None:
        """Copy a file into another directory; a thread does it while the load goes on."""
        source = self._directory / name
        if source.exists():
            gevent.get_hub().threadpool.apply(shutil.copyfile, (source, directory / name))

    def write_pieces(self, name: str, pieces: Iterable[str]) -> None:
        """Write a file from its pieces."""
        place = self._directory / name
        partial = self._directory / f".{name}.tmp"
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as file:
                for piece in pieces:
                    file.write(piece)
                    gevent.sleep(0)
            os.replace(partial, place)  # noqa: PTH105  the one step that readers rely on
        except OSError:
            partial.unlink(missing_ok=True)  # on a full disk half a file is in the way
            raise


class SettledSeconds:
    """Appends the seconds that are over to seconds.jsonl; measurements.json has the length."""

    def __init__(self, plan: Plan, files: RunFiles, recording: Recording, keys: KeyWatch) -> None:
        self._files = files
        self._recording = recording
        self._keys = keys
        self._duration_seconds = plan.duration_seconds
        self._after = plan.load.deadline_seconds + plan.load.request_timeout_seconds
        self._after += _REPORT_SECONDS
        self._until = 0
        self._bytes = 0

    def append_seconds(self, now_seconds: float) -> None:
        """Append the seconds that are over, and keep only their sums.

        Raises:
            OSError: they cannot be written; then they are kept one by one.
        """
        before = min(floor(now_seconds - self._after), self._duration_seconds)
        lines = chain(settled_lines(self._recording, before), self._keys.settled_lines(before))
        self._bytes = self._files.append_lines(_SECONDS_FILE, self._bytes, lines)
        self._until = max(before, 0)
        for record in self._recording.operations.values():
            record.settle(before)
        self._keys.forget_seconds(before)

    def copy_file(self, directory: Path) -> None:
        """Copy the seconds written so far into another directory."""
        self._files.copy_file(_SECONDS_FILE, directory)

    def as_document(self) -> dict[str, Any]:
        """The content of `settled` in measurements.json."""
        return {"bytes": self._bytes, "until": self._until}


def score_pieces(
    scores: LastScores,
    places: Places,
    boards: Mapping[str, str],
    slices: int,
    lost_slices: Collection[int],
) -> Iterator[str]:
    """final_scores.csv in pieces: a row for each player that was loaded or written.

    The last writes of a lost worker are not known, so all players of its slice are uncertain.
    """
    yield "player,board,score,sequence,unknown\n"
    players = sorted(scores.accepted.keys() | scores.uncertain)
    for start in range(0, len(players), _ROWS_PER_PIECE):
        rows = []
        for player in players[start : start + _ROWS_PER_PIECE]:
            board = boards[places.of(player).partition]
            event = scores.accepted.get(player)
            accepted = f"{event.score},{event.sequence}" if event else ","
            unknown = player in scores.uncertain or player % slices in lost_slices
            rows.append(f"{places.player_id(player)},{board},{accepted},{int(unknown)}\n")
        yield "".join(rows)
