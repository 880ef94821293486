"""What several reports share: verdicts of checks, key hits, and the small print."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

# Whole words: FAILURE in a title is no verdict.
_FAIL = re.compile(r"\bFAIL\b")
_VERDICT = re.compile(r"\b(PASS|FAIL)\b")


def verdict_line(label: str, problems: Iterable[str], passed: str = "") -> str:
    """PASS when there is no problem, else FAIL with all of them."""
    found = "; ".join(problems)
    if found:
        return f"{label}: FAIL - {found}"
    return f"{label}: PASS - {passed}" if passed else f"{label}: PASS"


def says_fail(lines: Iterable[str]) -> bool:
    """Whether any line carries the verdict FAIL."""
    return any(_FAIL.search(line) for line in lines)


def checks_line(lines: Iterable[str]) -> str:
    """How many of the checks in all lines passed."""
    verdicts = [line for line in lines if _VERDICT.search(line)]
    failed = sum(bool(_FAIL.search(line)) for line in verdicts)
    return f"{len(verdicts) - failed} of {len(verdicts)} checks PASS"


def measured_here(ledger: str) -> list[str]:
    """Tell measured figures from projected ones."""
    where = f"this machine and a synthetic workload, LEDGER={ledger}"
    return [
        f"Local figures: {where}; not production capacity.",
        "Without a ledger, because they are about what a key costs, not about a durable write.",
        "Projected figures: from the scenario assumptions, not measured.",
    ]


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
