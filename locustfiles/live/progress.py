"""What the terminal shows during a run: a panel, or plain lines where no panel can be drawn."""

import io
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import floor
from typing import Final, Protocol, TextIO

import gevent

from locustfiles.live.panel import Panel
from locustfiles.live.run_view import RunView
from locustfiles.live.snapshot import totals_of
from locustfiles.recording.buckets import Counts, add_counts, percentile
from locustfiles.recording.recording import Recording

SHOW_EVERY_SECONDS: Final = 5
# The workers' reports on a whole second are in by then.
_REPORT_SECONDS: Final = 0.2
_POLL_SECONDS: Final = 0.1


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

    def next_line_at(self, now_seconds: float) -> int:
        """The next second that gets a line: where a phase changes, and every few seconds."""
        changes = {-self.warmup_seconds, self.duration_seconds} - {0}
        if self.warmup_seconds:
            changes.add(0)
        regular = floor(now_seconds / SHOW_EVERY_SECONDS) * SHOW_EVERY_SECONDS
        regular += SHOW_EVERY_SECONDS
        if regular == 0 and not self.warmup_seconds:
            regular = SHOW_EVERY_SECONDS  # without a warm-up there is nothing to say at second 0
        return min({regular, *(second for second in changes if second > now_seconds)})


class PlainLines:
    """Says where the run is; the numbers are of the whole phase, p99 of the last seconds."""

    def __init__(self, phases: Phases, print_line: Callable[[str], None]) -> None:
        self._phases = phases
        self._print_line = print_line
        self._view: RunView | None = None
        self._shown_second = -phases.warmup_seconds
        self._loaded = -1
        self._loading_shown_at = -1.0

    def follow(self, view: RunView) -> None:
        """Follow a run until this greenlet is killed."""
        self._view = view
        while (clock := view.clock) is None:
            self.show_loading(view.loading.ok, view.loading.players)
            gevent.sleep(_POLL_SECONDS)
        self.show_loading(view.loading.ok, view.loading.players)
        while True:
            now = clock.now_seconds()
            # However late this process is: the end of a phase gets its line.
            due = self._phases.next_line_at(now)
            gevent.sleep(due - now + _REPORT_SECONDS)
            self._shown_second = due
            self.show(due, view.recording)

    def end(self) -> None:
        """Say how far the schedule came, unless the last line said so."""
        if self._view is None or self._view.clock is None:
            return
        second = min(floor(self._view.clock.now_seconds()), self._phases.duration_seconds)
        if second > self._shown_second:
            self.show(second, self._view.recording)

    def show_loading(self, loaded: int, players: int) -> None:
        """Say how many players are loaded, once a second and at the end."""
        now = time.monotonic()
        is_due = loaded == players or now - self._loading_shown_at >= 1
        if players and is_due and loaded != self._loaded:
            self._loaded = loaded
            self._loading_shown_at = now
            self._print_line(f"{'loading':8}  {loaded:,} of {players:,} players")

    def show(self, second: int, recording: Recording) -> None:
        """Print what was counted so far in this phase."""
        name = self._phases.name_before(second)
        seconds = (
            range(-self._phases.warmup_seconds, 0)
            if name == "warm-up"
            else range(self._phases.duration_seconds)
        )
        offered = ok = failed = dropped = 0
        recent: Counts = {}
        for record in recording.operations.values():
            totals = totals_of(record, seconds, seconds.stop)
            offered += totals.offered
            ok += totals.ok
            failed += totals.failed
            dropped += totals.dropped
            for at, counts in record.seconds.items():
                if second - SHOW_EVERY_SECONDS <= at < second:
                    add_counts(recent, counts.response_us)
        p99_us = percentile(recent, 0.99)
        p99 = "-" if p99_us is None else f"{p99_us / 1000:,.1f} ms"
        self._print_line(
            f"{name:8}  {self._phases.progress_at(second)}  offered {offered:,}  ok {ok:,}  "
            f"failed {failed:,}  dropped {dropped:,}  p99 {p99}"
        )


class Display(Protocol):
    """One way to show a run."""

    def follow(self, view: RunView) -> None:
        """Follow a run until this greenlet is killed."""
        ...

    def end(self) -> None:
        """Leave the terminal as it is to stay."""
        ...


class Progress:
    """Shows a run on a stream; an error of the stream never ends the run."""

    def __init__(self, phases: Phases, stream: TextIO | None = sys.stdout) -> None:
        # None: stdout was closed before the start (`>&-`).
        self._stream = stream or io.StringIO()
        self._display: Display = (
            Panel(self._stream)
            if can_refresh(self._stream, os.environ)
            else PlainLines(phases, self.print_line)
        )

    def print_line(self, sentence: str) -> None:
        """Print a line; when nothing reads the stream any more, the run goes on all the same."""
        try:
            self._stream.write(f"{sentence}\n")
            self._stream.flush()
        except OSError:
            _silence(self._stream)

    @contextmanager
    def following(self, view: RunView) -> Iterator[None]:
        """Show a run while the block lasts."""
        showing = gevent.spawn(self._display.follow, view)
        try:
            yield
        finally:
            showing.kill()
            try:
                self._display.end()
            except Exception:
                logging.getLogger(__name__).exception("The display of the run failed")


def can_refresh(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether the stream is a terminal on which a panel can be drawn again and again."""
    return (
        stream.isatty()
        and not environment.get("CI")
        and environment.get("TERM", "dumb") not in {"", "dumb", "unknown"}
        and stream.encoding.lower().replace("-", "") == "utf8"
    )


def _silence(stream: TextIO) -> None:
    """Lead the stream nowhere, so that Python's own flush at the end does not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
