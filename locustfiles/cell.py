"""One second of one operation, as counters and response time buckets."""

from dataclasses import dataclass, field

from locustfiles.buckets import Counts, add_counts


@dataclass(slots=True)
class Cell:
    """One second of one operation; the last two fields are by the second of the arrival."""

    offered: int = 0
    sent: int = 0
    dropped: int = 0
    ok: int = 0
    failed: int = 0
    answered: int = 0
    completed: int = 0
    achieved: int = 0
    response_us: Counts = field(default_factory=dict)

    def counters(self) -> list[int]:
        """All counters, in the order of the fields."""
        return [
            self.offered, self.sent, self.dropped, self.ok, self.failed,
            self.answered, self.completed, self.achieved,
        ]  # fmt: skip

    def add(self, counters: list[int], response_us: Counts) -> None:
        """Add the counters and buckets of another cell of the same second."""
        (
            self.offered, self.sent, self.dropped, self.ok, self.failed,
            self.answered, self.completed, self.achieved,
        ) = map(sum, zip(self.counters(), counters, strict=True))  # fmt: skip
        add_counts(self.response_us, response_us)
