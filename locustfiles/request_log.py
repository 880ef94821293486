"""Every request of a slice in a file, for whoever wants to compare schedules."""

from pathlib import Path
from typing import Final, Protocol

from locustfiles.arrival import Arrival

COLUMNS: Final = (
    "operation", "number", "intended_us", "player", "score", "outcome", "begun_us", "ended_us",
)  # fmt: skip


class RequestLog(Protocol):
    """Takes a line for each request that has its outcome."""

    def write(
        self, operation: str, arrival: Arrival, outcome: str, begun_us: int, ended_us: int
    ) -> None:
        """Note one request."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


class NoRequestLog:
    """Keeps nothing: the default, because a line costs as much as counting does."""

    def write(
        self, operation: str, arrival: Arrival, outcome: str, begun_us: int, ended_us: int
    ) -> None:
        """Forget the request."""

    def close(self) -> None:
        """Nothing is open."""


class RequestFile:
    """Writes comma separated lines, in the order of the outcomes."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="ascii", newline="\n")
        self._file.write(",".join(COLUMNS) + "\n")

    def write(
        self, operation: str, arrival: Arrival, outcome: str, begun_us: int, ended_us: int
    ) -> None:
        """Write one line; a dropped request has no times."""
        number, intended_us, player, score = (
            "" if value == -1 and place > 1 else value for place, value in enumerate(arrival[:4])
        )
        times = f"{begun_us},{ended_us}" if outcome != "dropped" else ","
        self._file.write(f"{operation},{number},{intended_us},{player},{score},{outcome},{times}\n")

    def close(self) -> None:
        """Flush and close the file."""
        self._file.close()


def open_request_log(path: str, slice_index: int) -> RequestLog:
    """Open the log of one slice in a folder; without a folder nothing is kept."""
    return RequestFile(Path(path) / f"requests-{slice_index}.csv") if path else NoRequestLog()
