"""Every request of a slice in a file, so that two schedules can be compared."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol, TextIO

from locustfiles.schedule.arrival import Arrival

COLUMNS: Final = (
    "operation", "number", "intended_us", "player", "score", "outcome", "begun_us", "ended_us",
)  # fmt: skip


class RequestLog(Protocol):
    """Takes a line for each request that has its outcome."""

    def append_request(
        self, operation: str, arrival: Arrival, outcome: str, begun_us: int, ended_us: int
    ) -> None:
        """Write one request."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


class NoRequestLog:
    """Writes nothing: the default, because a line costs as much as counting does."""

    def append_request(
        self, operation: str, arrival: Arrival, outcome: str, begun_us: int, ended_us: int
    ) -> None:
        """Write nothing."""

    def close(self) -> None:
        """Nothing is open."""


class RequestFile:
    """Writes comma separated lines, in the order of the outcomes.

    A file that cannot be written, as on a full disk, is given up, and `given_up` gets the
    reason as a sentence. Requests are sent and counted all the same until it stops the run.
    """

    def __init__(self, path: Path, given_up: Callable[[str], None]) -> None:
        self._path = path
        self._given_up = given_up
        self._file: TextIO | None = None
        try:
            self._file = path.open("w", encoding="ascii", newline="\n")
            self._file.write(",".join(COLUMNS) + "\n")
        except OSError as error:
            self._give_up(error)

    def append_request(
        self, operation: str, arrival: Arrival, outcome: str, begun_us: int, ended_us: int
    ) -> None:
        """Write one line; a dropped request has no times."""
        if self._file is None:
            return
        number, intended_us, player, score = (
            "" if value == -1 and place > 1 else value for place, value in enumerate(arrival[:4])
        )
        times = f"{begun_us},{ended_us}" if outcome != "dropped" else ","
        line = f"{operation},{number},{intended_us},{player},{score},{outcome},{times}\n"
        try:
            self._file.write(line)
        except OSError as error:
            self._give_up(error)

    def close(self) -> None:
        """Flush and close the file."""
        if self._file is None:
            return
        try:
            self._file.close()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # what is left in its buffer
                file.close()
        self._given_up(f"the request log {self._path} cannot be written: {error.strerror}")


def open_request_log(path: str, slice_index: int, given_up: Callable[[str], None]) -> RequestLog:
    """Open the log of one slice in a folder; without a folder nothing is kept.

    `given_up` gets the reason when the log cannot be written any more.
    """
    if not path:
        return NoRequestLog()
    return RequestFile(Path(path) / f"requests-{slice_index}.csv", given_up)
