"""How long requests took that were sent one after another."""

from collections.abc import Sequence
from dataclasses import dataclass

_MS_PER_SECOND = 1_000


@dataclass(frozen=True)
class Timing:
    """The duration of each request, and of all of them together."""

    request_seconds: tuple[float, ...]
    elapsed_seconds: float

    @property
    def per_second(self) -> float:
        """Requests a second, sent by one client that waits for each answer."""
        return len(self.request_seconds) / self.elapsed_seconds

    def line(self, name: str, fraction: float) -> str:
        """One percentile as a line of a report."""
        milliseconds = percentile(self.request_seconds, fraction) * _MS_PER_SECOND
        return f"{name} p{fraction * 100:.0f}: {milliseconds:.3f} ms"


def percentile(values: Sequence[float], fraction: float) -> float:
    """The value that stands at a fraction of the way through the sorted values.

    It is always one of the values: the position is rounded down, nothing is interpolated.
    """
    return sorted(values)[int((len(values) - 1) * fraction)]
