"""The log of every request that the load generator sent: what a drill is judged by."""

import csv
from pathlib import Path
from typing import NamedTuple

_MICROSECONDS = 1_000_000


class Request(NamedTuple):
    """One request, with its times in seconds of the schedule; a dropped one has none."""

    operation: str
    number: int
    outcome: str
    begun: float | None
    ended: float | None
    due: float = 0.0


def read_requests(folder: Path) -> list[Request]:
    """The requests of all slices, in the order of their answers; half a last line is left out."""
    found: list[Request] = []
    for path in sorted(folder.glob("requests-*.csv")):
        with path.open(encoding="ascii", newline="") as file:
            lines = (line for line in file if line.endswith("\n"))
            found += [
                Request(
                    row["operation"],
                    int(row["number"]),
                    row["outcome"],
                    _seconds(row["begun_us"]),
                    _seconds(row["ended_us"]),
                    int(row["intended_us"]) / _MICROSECONDS,
                )
                for row in csv.DictReader(lines)
            ]
    return sorted(found, key=lambda request: request.ended or 0)


def _seconds(microseconds: str) -> float | None:
    return int(microseconds) / _MICROSECONDS if microseconds else None
