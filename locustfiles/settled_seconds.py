"""seconds.jsonl: the seconds of a run in which nothing can change any more, each written once.

Then they are forgotten, so that a checkpoint costs the same, and as much is held in memory, however
long a run is.
"""

from itertools import chain
from math import floor
from pathlib import Path
from typing import Any, Final

from locustfiles.key_watch import KeyWatch
from locustfiles.measurements_document import settled_lines
from locustfiles.plan import Plan
from locustfiles.recording import Recording
from locustfiles.run_files import RunFiles

_NAME: Final = "seconds.jsonl"
# The bound of a request is known; what is reported of it later than this gets a line of its own.
_REPORT_SECONDS: Final = 10


class SettledSeconds:
    """Appends what is over; measurements.json tells how much of the file belongs to it."""

    def __init__(self, plan: Plan, files: RunFiles, recording: Recording, keys: KeyWatch) -> None:
        self._files = files
        self._recording = recording
        self._keys = keys
        self._duration_seconds = plan.duration_seconds
        self._after = plan.load.deadline_seconds + plan.load.request_timeout_seconds
        self._after += _REPORT_SECONDS
        self._until = 0
        self._bytes = 0

    def append(self, now_seconds: float) -> None:
        """Write the seconds that are over behind the others, and fold them into sums.

        Raises:
            OSError: they cannot be written; then they are kept.
        """
        before = min(floor(now_seconds - self._after), self._duration_seconds)
        lines = chain(settled_lines(self._recording, before), self._keys.settled_lines(before))
        self._bytes = self._files.append(_NAME, self._bytes, lines)
        self._until = max(before, 0)
        for record in self._recording.operations.values():
            record.fold(before)
        self._keys.fold(before)

    def copy(self, directory: Path) -> None:
        """Copy what was written into another directory."""
        self._files.copy(_NAME, directory)

    def as_document(self) -> dict[str, Any]:
        """The content of `settled` in measurements.json."""
        return {"bytes": self._bytes, "until": self._until}
