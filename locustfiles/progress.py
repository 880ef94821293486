"""What the terminal shows during a run: plain lines, one every few seconds."""

import os
import sys
import time
from dataclasses import dataclass
from typing import Final, TextIO

from locustfiles.buckets import Counts, add_counts, percentile
from locustfiles.recording import Recording

SHOW_EVERY_SECONDS: Final = 5


@dataclass(frozen=True)
class Phases:
    """The phases of the schedule by its seconds."""

    warmup_seconds: int
    duration_seconds: int

    def name_before(self, second: int) -> str:
        """The phase that ends, or goes on, at a second of the schedule."""
        if second <= 0:
            return "warm-up"
        return "measured" if second <= self.duration_seconds else "drain"

    def progress_at(self, second: int) -> str:
        """How far into its phase the schedule is."""
        match self.name_before(second):
            case "warm-up":
                return f"{second + self.warmup_seconds} of {self.warmup_seconds} s"
            case "measured":
                return f"{second} of {self.duration_seconds} s"
            case _:
                return "waiting for answers"


class Progress:
    """Says where the run is; the numbers are of the whole phase, p99 of the last seconds."""

    def __init__(self, phases: Phases, stream: TextIO = sys.stdout) -> None:
        self._phases = phases
        self._stream = stream
        self._loading_shown_at = -1.0

    def say(self, sentence: str) -> None:
        """Say one thing; when nobody can hear it any more, the run goes on all the same."""
        try:
            self._stream.write(f"{sentence}\n")
            self._stream.flush()
        except OSError:
            _silence(self._stream)

    def show_loading(self, loaded: int, players: int) -> None:
        """Say how many players are loaded, once a second and at the end."""
        now = time.monotonic()
        if loaded == players or now - self._loading_shown_at >= 1:
            self._loading_shown_at = now
            self.say(f"{'loading':8}  {loaded:,} of {players:,} players")

    def show(self, second: int, recording: Recording) -> None:
        """Say what was counted so far in this phase."""
        name = self._phases.name_before(second)
        seconds = (
            range(-self._phases.warmup_seconds, 0)
            if name == "warm-up"
            else range(self._phases.duration_seconds)
        )
        offered = ok = failed = dropped = 0
        recent: Counts = {}
        for record in recording.operations.values():
            for at, cell in record.cells.items():
                if at in seconds:
                    offered += cell.offered
                    ok += cell.ok
                    failed += cell.failed
                    dropped += cell.dropped
                if second - SHOW_EVERY_SECONDS <= at < second:
                    add_counts(recent, cell.response_us)
        p99_us = percentile(recent, 0.99)
        p99 = "-" if p99_us is None else f"{p99_us / 1000:,.1f} ms"
        self.say(
            f"{name:8}  {self._phases.progress_at(second)}  offered {offered:,}  ok {ok:,}  "
            f"failed {failed:,}  dropped {dropped:,}  p99 {p99}"
        )


def _silence(stream: TextIO) -> None:
    """Let the rest go nowhere, so that Python's own flush at the end does not fail either."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
