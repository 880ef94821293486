"""What a run leaves: its three raw files, refreshed as checkpoints while it goes on."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gevent.lock import RLock

from locustfiles.clock import ScheduleClock
from locustfiles.companion import Companion
from locustfiles.crew import Crew
from locustfiles.errors import RunCutShort
from locustfiles.inputs import RunInputs
from locustfiles.key_watch import KeyWatch
from locustfiles.loading import Loading
from locustfiles.measurements_document import Ending, pieces
from locustfiles.operations import Places
from locustfiles.run_document import run_document, timestamp
from locustfiles.run_files import RunFiles
from locustfiles.score_rows import score_pieces
from locustfiles.settled_seconds import SettledSeconds


class Results:
    """Knows everything that was counted, and writes it into the run directory."""

    def __init__(
        self,
        inputs: RunInputs,
        crew: Crew,
        loading: Loading,
        keys: KeyWatch,
        companion: Companion,
    ) -> None:
        self._inputs = inputs
        self._crew = crew
        self._loading = loading
        self._keys = keys
        self._companion = companion
        self._files = RunFiles(inputs.directory)
        self._run: dict[str, Any] = {}
        self._one_writer = RLock()
        self._clock: ScheduleClock | None = None
        self._settled = SettledSeconds(inputs.plan, self._files, crew.recording, keys)

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
            self.write(Ending())
        except OSError as error:
            reason = f"The run directory {self._inputs.directory} cannot be written: {error}."
            raise RunCutShort("interrupted", reason) from None

    def note_start(self, second_zero_at: float) -> None:
        """Note when the measured phase begins, and when it is to end, for all who look."""
        self._clock = ScheduleClock.with_second_zero_at(second_zero_at)
        self._run["measured_from"] = timestamp(second_zero_at)
        self._run["measured_to"] = timestamp(second_zero_at + self._inputs.plan.duration_seconds)
        with self._one_writer, contextlib.suppress(OSError):  # the last write of the run says so
            self._files.write_json("run.json", self._run)

    def write(self, ending: Ending) -> None:
        """Write what is known so far; the scores only when the run has ended."""
        with self._one_writer:
            if ending.ended != "unfinished":
                self._run["ended_at"] = timestamp(time.time())
                self._write_scores()
            if self._clock is not None:
                self._settled.append(self._clock.now_seconds())
            keys = self._keys.as_document()
            self._files.write("measurements.json", self._measurements(ending, keys))
            self._files.write_json("run.json", self._run)

    def write_so_far(self, directory: Path) -> None:
        """Write what is known into another directory, for tables of a run that goes on."""
        files = RunFiles(directory)
        files.make_directory()
        with self._one_writer:
            self._settled.copy(directory)
            keys = self._keys.so_far()
            files.write("measurements.json", self._measurements(Ending(), keys))
        files.write_json("run.json", self._run)

    def _measurements(self, ending: Ending, keys: dict[str, Any]) -> Iterator[str]:
        facts = {
            "generators": [
                {
                    "slice": one.slice_index,
                    "cpu_ratio": None if one.cpu_ratio is None else round(one.cpu_ratio, 4),
                    "reported": one.has_reported,
                }
                for one in self._crew.members
            ],
            "expected_workers": self._inputs.plan.slices,
            "loading": self._loading.as_document(),
            "keys": keys,
            "settled": self._settled.as_document(),
            "scenario": self._companion.facts(),
        }
        return pieces(self._crew.recording, self._inputs.plan.duration_seconds, facts, ending)

    def _write_scores(self) -> None:
        plan = self._inputs.plan
        rows = score_pieces(
            self._crew.scores,
            Places(plan),
            self._inputs.description.boards.boards,
            plan.slices,
            {one.slice_index for one in self._crew.silent()},
        )
        self._files.write("final_scores.csv", rows)
