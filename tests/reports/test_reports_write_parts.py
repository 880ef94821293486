"""The ledger's and Redis' part of the time of writes, and what is said of a ledger."""

import pytest

from reports.numbers.traffic import KeyTraffic, Traffic
from reports.numbers.write_parts import parts_sentence, write_parts
from reports.rundir.measurements import Keys, Snapshot
from reports.wording import ledger_words

START = Snapshot(0.0, {}, [(0.001, 10), (0.01, 20), ("+Inf", 20)])
END = Snapshot(9.0, {}, [(0.001, 60), (0.01, 120), ("+Inf", 120)])
TRAFFIC = Traffic(
    tuple(
        KeyTraffic(key, "write", 100, 100, ((0.001, 100), (0.002, 100), (float("inf"), 100)), 5)
        for key in ("a", "b")
    )
)


def test_both_parts_are_told_apart() -> None:
    """Commits between the two readings; commands of all keys together."""
    parts = write_parts(Keys(start=START, end=END), TRAFFIC)

    assert parts is not None
    assert (parts.ledger.times, parts.redis.times) == (100, 200)
    assert parts.redis.p50_seconds == 0.0005
    assert parts_sentence(parts) == (
        "writes apart: ledger 100 commits, p50 1.0 ms, p99 9.8 ms; "
        "Redis 200 commands, p50 0.5 ms, p99 1.0 ms"
    )


@pytest.mark.parametrize(
    "keys",
    [
        Keys(reason="the service has no counters"),
        Keys(start=START),
        Keys(start=Snapshot(0.0, {}), end=Snapshot(9.0, {})),
        Keys(start=END, end=START),
        Keys(start=Snapshot(0.0, {}, [("soon", 1)]), end=END),
    ],
)
def test_what_is_not_known_is_not_said(keys: Keys) -> None:
    """No reading, no ledger, a restarted service, or buckets that are none."""
    assert parts_sentence(write_parts(keys, TRAFFIC)) is None


@pytest.mark.parametrize(
    ("ledger", "sync", "words"),
    [
        (None, None, None),
        ("none", None, "LEDGER=none"),
        ("sqlite", "full", "ledger sqlite"),
        ("sqlite", "normal", "ledger sqlite, LEDGER_SYNC=normal"),
    ],
)
def test_what_weakens_the_truth_is_labelled(
    ledger: str | None, sync: str | None, words: str | None
) -> None:
    """A run without a ledger, or with fewer syncs, never passes for another."""
    assert words == ledger_words(ledger, sync)
