"""What the service's own counters say about its board keys."""

from collections.abc import Mapping
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

_SERIES = "leaderboard_key_ops_total"


@dataclass(frozen=True)
class KeyHits:
    """Hits by key; a key that was not hit is not in it."""

    by_key: Mapping[str, int]

    @property
    def total(self) -> int:
        """All hits."""
        return sum(self.by_key.values())

    @property
    def hottest_share(self) -> float:
        """The share of the busiest key; 0 when nothing was hit."""
        return max(self.by_key.values()) / self.total if self.by_key else 0.0


def hits_between(before: str, after: str, op: str) -> KeyHits:
    """Subtract two scrapes of /metrics; `op` is `read` or `write`."""
    start = _hits(before, op)
    grown = {key: hits - start.get(key, 0) for key, hits in _hits(after, op).items()}
    return KeyHits({key: hits for key, hits in grown.items() if hits})


def _hits(scrape: str, op: str) -> dict[str, int]:
    return {
        sample.labels["key"]: int(sample.value)
        for family in text_string_to_metric_families(scrape)
        for sample in family.samples
        if sample.name == _SERIES and sample.labels["op"] == op
    }
