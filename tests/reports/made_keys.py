"""Per-key counters made up from a run's requests, as the service would have exposed them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from made_load import MadeOperation

BOUNDS = (0.0001, 0.0002, 0.0003, 0.0005, 0.00075, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5)
LOADED = 1000
Hits = npt.NDArray[np.int64]


def made_keys(
    rng: np.random.Generator,
    keys: Sequence[str],
    operations: dict[str, MadeOperation],
    reason: str | None,
) -> dict[str, Any]:
    """The `keys` part of measurements.json: two snapshots and the seconds between them."""
    if reason:
        return {"reason": reason, "start": None, "end": None, "seconds": []}
    hits = {"write": _writes(operations, len(keys)), "read": _reads(operations, len(keys))}
    seconds = len(hits["write"])
    return {
        "reason": None,
        "start": _snapshot(rng, 0.0, keys, {op: 0 * counts[:0] for op, counts in hits.items()}),
        "end": _snapshot(rng, float(seconds), keys, hits),
        "seconds": [
            {
                "second": second,
                "hits": {
                    key: {op: int(counts[second, number]) for op, counts in hits.items()}
                    for number, key in enumerate(keys)
                },
            }
            for second in range(seconds)
        ],
    }


def _writes(operations: dict[str, MadeOperation], keys: int) -> Hits:
    return _spread(operations["submit"], keys)


def _reads(operations: dict[str, MadeOperation], keys: int) -> Hits:
    # Around-me reads its key twice, the top K every key once.
    top = _spread(operations["top"], 1) if "top" in operations else np.int64(0)
    return 2 * _spread(operations["around"], keys) + top


def _spread(operation: MadeOperation, keys: int) -> Hits:
    counts = np.zeros((operation.seconds, keys), dtype=np.int64)
    ok = operation.succeeded
    numbers = operation.partitions[ok] if keys > 1 else np.zeros(int(ok.sum()), dtype=np.int64)
    np.add.at(counts, (operation.intended_us[ok] // 1_000_000, numbers), 1)
    return counts


def _snapshot(
    rng: np.random.Generator, at_second: float, keys: Sequence[str], hits: dict[str, Hits]
) -> dict[str, Any]:
    snapshot = {}
    for number, key in enumerate(keys):
        counters: dict[str, Any] = {"members": 12_000 // len(keys)}
        for op, counts in hits.items():
            done = int(counts[:, number].sum()) if counts.size else 0
            buckets = _buckets(rng, done)
            counters[op] = {"hits": LOADED + done, "buckets": buckets, "sum": done * 0.0004}
            if op == "write":
                counters[op]["members_written"] = 12_000 // len(keys) + done
        snapshot[key] = counters
    return {"at_second": at_second, "keys": snapshot}


def _buckets(rng: np.random.Generator, hits: int) -> list[list[float | str]]:
    seconds = rng.lognormal(np.log(0.0004), 0.5, hits)
    below = [int((seconds <= bound).sum()) for bound in BOUNDS]
    counted = [LOADED // 2 + count for count in below]
    buckets: list[list[float | str]] = [[*pair] for pair in zip(BOUNDS, counted, strict=True)]
    return [*buckets, ["+Inf", LOADED + hits]]
