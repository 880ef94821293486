"""The phases of a run in the master: load, start, follow, stop, and write its files."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any, Final

import gevent
from gevent.lock import RLock

from locustfiles.errors import RunCutShort
from locustfiles.live.progress import Progress
from locustfiles.live.run_view import view_of
from locustfiles.operations.places import Places
from locustfiles.recording.documents import Ending, measurement_pieces, run_document
from locustfiles.recording.key_counters import HotKey, hot_keys
from locustfiles.recording.key_watch import KeyWatch
from locustfiles.recording.run_files import RunFiles, SettledSeconds, score_pieces
from locustfiles.run.inputs import RunInputs
from locustfiles.run.loading import Loader, Loading
from locustfiles.run.scenario_hooks import ScenarioHooks, hooks_of
from locustfiles.run.stopping import StopRequest
from locustfiles.run.workers import GO, STOP, Workers
from locustfiles.schedule.clock import ScheduleClock, timestamp
from locustfiles.schedule.open_loop import STOP_SECONDS

_START_SECONDS: Final = 60.0
# From the order to start to the first arrival: time for the order to reach every worker.
_LEAD_SECONDS: Final = 0.5
# How long a worker may take beyond the limits of its requests before it counts as lost.
_GRACE_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.05
_SAVE_EVERY_SECONDS: Final = 5
# The workers' reports on a whole second have arrived by then.
_REPORT_SECONDS: Final = 0.2


class RunController:
    """Takes a run through its phases in a greenlet of its own; a stop ends any of them."""

    def __init__(
        self, inputs: RunInputs, workers: Workers, progress: Progress, stop: StopRequest
    ) -> None:
        self._inputs = inputs
        self._plan = inputs.plan
        self._workers = workers
        self._progress = progress
        self._stop = stop
        self._loading = Loading(inputs.plan.players if inputs.plan.needs_boards else 0)
        self._hooks = hooks_of(inputs)
        self._keys = KeyWatch(inputs.dialer, inputs.plan.duration_seconds)
        self.results = Results(inputs, workers, self._loading, self._keys, self._hooks)
        self._view = view_of(
            inputs, self._loading, workers.recording, self._keys, self._why_stopping
        )
        self._watching: gevent.Greenlet[..., None] | None = None
        self._saving: gevent.Greenlet[..., None] | None = None
        self.ending = Ending()

    def run(self) -> None:
        """Take the run to its end, whatever happens, and leave its files."""
        with self._progress.following(self._view):
            self._run()

    def _run(self) -> None:
        try:
            self._measure()
            self.ending = Ending("completed")
        except RunCutShort as error:
            self.ending = Ending(error.ended, str(error))
        except Exception as error:
            logging.getLogger(__name__).exception("The harness failed")
            self.ending = Ending("interrupted", f"The harness failed: {error!r}.")
        gevent.killall([one for one in (self._watching, self._saving) if one is not None])
        self._hooks.end()
        self._view.ended = self.ending.ended
        try:
            self.results.write_files(self.ending)
        except OSError as error:
            reason = f"The results cannot be written to {self._inputs.directory}: {error}."
            self.ending = Ending("interrupted", reason)

    def hot_keys(self) -> list[HotKey]:
        """How hot each key is in the measured phase so far."""
        keys = self._keys.document_so_far()
        if keys["start"] is None:
            return []
        fair_share = 1 / len(self._inputs.description.boards.partitions)
        return hot_keys(keys["start"]["keys"], keys["end"]["keys"], fair_share)

    def _measure(self) -> None:
        self.results.begin()
        if self._inputs.plan.needs_boards:
            Loader(self._inputs, self._loading, self._workers.scores).run(self._check)
        self._hooks.prepare(self._check)
        self._wait_until(
            lambda: len(self._workers.complete_node_ids()) >= self._plan.slices, "holds its users"
        )
        self._workers.assign([replace(self._plan, slice_index=i) for i in range(self._plan.slices)])
        self._wait_until(self._workers.are_ready, "is ready")
        clock = self._start()
        try:
            self._follow(clock)
        except RunCutShort:
            self._halt()
            raise

    def _start(self) -> ScheduleClock:
        second_zero_at = ceil(time.time() + _LEAD_SECONDS) + self._plan.warmup_seconds
        self._hooks.begin(second_zero_at)
        self._workers.send_to_all(GO, {"second_zero_at": second_zero_at})
        self.results.note_start(second_zero_at)
        self._workers.live.measured = (second_zero_at, second_zero_at + self._plan.duration_seconds)
        clock = self._view.clock = ScheduleClock.with_second_zero_at(second_zero_at)
        self._watching = gevent.spawn(self._keys.run, clock)
        self._saving = gevent.spawn(self._save, clock)
        return clock

    def _follow(self, clock: ScheduleClock) -> None:
        load = self._plan.load
        longest = self._plan.duration_seconds + load.deadline_seconds + load.request_timeout_seconds
        while self._workers.unreported():
            self._check()
            if clock.now_seconds() > longest + _GRACE_SECONDS:
                slices = ", ".join(str(one.slice_index) for one in self._workers.unreported())
                raise RunCutShort("worker-lost", f"No final counts came from slice {slices}.")
            gevent.sleep(_POLL_SECONDS)
        self._check()
        if self._watching is not None:
            self._watching.join(timeout=_GRACE_SECONDS)

    def _halt(self) -> None:
        """Let the workers that are left drain and report."""
        self._workers.send_to_all(STOP, {})
        end = time.monotonic() + STOP_SECONDS + _GRACE_SECONDS
        while time.monotonic() < end and len(self._workers.unreported()) > len(
            self._workers.lost()
        ):
            gevent.sleep(_POLL_SECONDS)

    def _wait_until(self, is_so: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + _START_SECONDS
        while not is_so():
            self._check()
            if time.monotonic() > end:
                raise RunCutShort(
                    "worker-lost",
                    f"Not every one of {self._plan.slices} workers {what} after "
                    f"{_START_SECONDS:.0f} s.",
                )
            gevent.sleep(_POLL_SECONDS)

    def _why_stopping(self) -> str | None:
        trouble = self._workers.trouble()
        return self._stop.reason or (str(trouble).rstrip(".") if trouble else None)

    def _check(self) -> None:
        if self._stop.reason is not None:
            raise RunCutShort("interrupted", self._stop.reason)
        if trouble := self._workers.trouble():
            raise trouble

    def _save(self, clock: ScheduleClock) -> None:
        """Save what was counted so far, every few seconds."""
        while True:
            gevent.sleep(-clock.now_seconds() % _SAVE_EVERY_SECONDS + _REPORT_SECONDS)
            with contextlib.suppress(OSError):  # the last write of the run says so
                self.results.write_files(self.ending)


class Results:
    """Writes everything that was counted into the run directory."""

    def __init__(
        self,
        inputs: RunInputs,
        workers: Workers,
        loading: Loading,
        keys: KeyWatch,
        hooks: ScenarioHooks,
    ) -> None:
        self._inputs = inputs
        self._workers = workers
        self._loading = loading
        self._keys = keys
        self._hooks = hooks
        self._files = RunFiles(inputs.directory)
        self._run: dict[str, Any] = {}
        self._one_writer = RLock()
        self._clock: ScheduleClock | None = None
        self._settled = SettledSeconds(inputs.plan, self._files, workers.recording, keys)

    @property
    def run_id(self) -> str:
        """The name of the run, and of its directory."""
        return self._inputs.plan.run_id

    @property
    def has_begun(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._run)

    def begin(self) -> None:
        """Make the run directory, with what is known before anything is sent."""
        self._run = run_document(self._inputs, time.time())
        try:
            self._files.make_directory()
            self.write_files(Ending())
        except OSError as error:
            reason = f"The run directory {self._inputs.directory} cannot be written: {error}."
            raise RunCutShort("interrupted", reason) from None

    def note_start(self, second_zero_at: float) -> None:
        """Write when the measured phase begins and is to end, for readers of run.json."""
        self._clock = ScheduleClock.with_second_zero_at(second_zero_at)
        self._run["measured_from"] = timestamp(second_zero_at)
        self._run["measured_to"] = timestamp(second_zero_at + self._inputs.plan.duration_seconds)
        with self._one_writer, contextlib.suppress(OSError):  # the last write of the run says so
            self._files.write_json("run.json", self._run)

    def write_files(self, ending: Ending) -> None:
        """Write what is known so far; the scores only when the run has ended."""
        with self._one_writer:
            if ending.ended != "unfinished":
                self._run["ended_at"] = timestamp(time.time())
                self._write_scores()
            if self._clock is not None:
                self._settled.append_seconds(self._clock.now_seconds())
            keys = self._keys.as_document()
            self._files.write_pieces("measurements.json", self._measurements(ending, keys))
            self._files.write_json("run.json", self._run)

    def write_so_far(self, directory: Path) -> None:
        """Write what is known into another directory, for tables of a run that goes on."""
        files = RunFiles(directory)
        files.make_directory()
        with self._one_writer:
            self._settled.copy_file(directory)
            keys = self._keys.document_so_far()
            files.write_pieces("measurements.json", self._measurements(Ending(), keys))
        files.write_json("run.json", self._run)

    def _measurements(self, ending: Ending, keys: dict[str, Any]) -> Iterator[str]:
        facts = {
            "generators": [
                {
                    "slice": one.slice_index,
                    "cpu_ratio": None if one.cpu_ratio is None else round(one.cpu_ratio, 4),
                    "reported": one.has_reported,
                }
                for one in self._workers.assigned
            ],
            "expected_workers": self._inputs.plan.slices,
            "loading": self._loading.as_document(),
            "keys": keys,
            "settled": self._settled.as_document(),
            "scenario": self._hooks.facts(),
        }
        return measurement_pieces(
            self._workers.recording, self._inputs.plan.duration_seconds, facts, ending
        )

    def _write_scores(self) -> None:
        plan = self._inputs.plan
        rows = score_pieces(
            self._workers.scores,
            Places(plan),
            self._inputs.description.boards.boards,
            plan.slices,
            {one.slice_index for one in self._workers.unreported()},
        )
        self._files.write_pieces("final_scores.csv", rows)
