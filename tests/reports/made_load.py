"""Requests made up from a seed: arrivals, answers, a stall or failures where asked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]  # ships no types

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MEDIAN_MS = {"submit": 1.3, "top": 2.4, "around": 1.6}
CONNECTIONS = 48
WHOLE_ANSWERS = ("http_4xx", "http_5xx", "bad_body")


@dataclass(frozen=True)
class MadeOperation:
    """One operation's requests of the measured phase, an entry for each."""

    seconds: int
    intended_us: Ints
    response_us: Ints
    service_us: Ints
    succeeded: Flags
    partitions: Ints
    failure_kind: str

    @property
    def offered(self) -> int:
        """How many requests the schedule had."""
        return len(self.intended_us)

    @property
    def ok(self) -> int:
        """How many succeeded."""
        return int(self.succeeded.sum())

    def json(self) -> dict[str, Any]:
        """The operation's part of measurements.json."""
        ok, failed = self.succeeded, ~self.succeeded
        arrived = (self.intended_us + self.response_us) // 1_000_000
        whole = ok | (self.failure_kind in WHOLE_ANSWERS)
        starts = self.intended_us // 1_000_000
        counts = {"offered": self.offered, "sent": self.offered, "dropped": 0}
        counts |= {"ok": self.ok, "failed": int(failed.sum())}
        hit = np.flatnonzero(failed)
        return counts | {
            "completed": int(whole.sum()),
            "achieved": int((ok & (arrived < self.seconds)).sum()),
            "response_us": encoded(self.response_us[ok]),
            "service_us": encoded(self.service_us[ok]),
            "failed_response_us": encoded(self.response_us[failed]),
            "overflow": 0,
            "failures": [
                {
                    "kind": self.failure_kind,
                    "count": len(hit),
                    "first_second": int(starts[hit[0]]),
                    "last_second": int(starts[hit[-1]]),
                }
            ]
            if len(hit)
            else [],
            "seconds": self._seconds(starts, arrived, whole),
            "all": counts | {"unknown": 0, "statuses": {"applied": self.ok}},
        }

    def _seconds(self, starts: Ints, arrived: Ints, whole: Flags) -> list[dict[str, Any]]:
        last = int(max(self.seconds - 1, arrived.max(initial=0)))
        edges = np.searchsorted(starts, np.arange(last + 2))  # they are in order
        completed = np.bincount(arrived[whole], minlength=last + 1)
        rows = []
        for second in range(last + 1):
            mine = slice(edges[second], edges[second + 1])
            ok = self.succeeded[mine]
            row = {
                "second": second,
                "offered": len(ok),
                "sent": len(ok),
                "dropped": 0,
                "ok": int(ok.sum()),
                "failed": int((~ok).sum()),
                "completed": int(completed[second]),
                "response_us": sparse(self.response_us[mine][ok]),
            }
            if row["offered"] or row["completed"]:
                rows.append(row)
        return rows


def made_operation(
    rng: np.random.Generator,
    name: str,
    rate: float,
    seconds: int,
    shares: npt.NDArray[np.float64],
    *,
    stall: tuple[float, float] | None,
    failing: tuple[float, float] | None,
    failure_kind: str,
) -> MadeOperation:
    """Poisson arrivals conditioned on each second's count, with log-normal answers."""
    cumulated = np.floor(np.arange(seconds + 1) * rate + 1e-9).astype(np.int64)
    counts = np.diff(cumulated)
    intended = np.sort(
        np.repeat(np.arange(seconds) * 1_000_000, counts)
        + rng.integers(0, 1_000_000, int(counts.sum()))
    )
    size = len(intended)
    service = (rng.lognormal(np.log(MEDIAN_MS[name] * 1000), 0.35, size)).astype(np.int64) + 200
    response = service + rng.integers(20, 120, size)
    if stall:
        first, end = (round(moment * 1_000_000) for moment in (stall[0], sum(stall)))
        held = (intended >= first) & (intended < end)
        response[held] += end - intended[held]
        service[np.flatnonzero(held)[:CONNECTIONS]] += end - first
    succeeded = np.ones(size, dtype=bool)
    if failing:
        succeeded = ~((intended >= failing[0] * 1_000_000) & (intended < failing[1] * 1_000_000))
    partitions = rng.choice(len(shares), size, p=shares)
    return MadeOperation(seconds, intended, response, service, succeeded, partitions, failure_kind)


def lowest_us(values: Ints) -> Ints:
    """The lowest value of each value's three-digit HDR bucket."""
    shift = np.maximum(0, np.frexp(values.astype(np.float64))[1] - 11).astype(np.int64)
    lowest: Ints = (values >> shift) << shift
    return lowest


def sparse(values: Ints) -> dict[str, int]:
    """Values as `{"<lowest µs of the bucket>": count}`."""
    buckets, counts = np.unique(lowest_us(values), return_counts=True)
    return {str(bucket): int(count) for bucket, count in zip(buckets, counts, strict=True)}


def encoded(values: Ints) -> str:
    """Values as an HdrHistogram V2 encoding."""
    histogram = HdrHistogram(1, 60_000_000, 3)
    for bucket, count in sparse(np.minimum(values, 60_000_000)).items():
        histogram.record_value(int(bucket), count)
    text: str = histogram.encode().decode()
    return text
