"""How unevenly the keys share the load, in five figures."""

from dataclasses import asdict, dataclass
from typing import Any

from reports.numbers.rounding import rounded
from reports.numbers.traffic import OPS, KeyTraffic, Traffic


@dataclass(frozen=True)
class Skew:
    """The skew of one op; effective keys = 1 / Σ share², the number of equally loaded keys."""

    hottest_key: str
    hottest_share: float
    effective_keys: float
    keys_touched: int
    fair_share: float | None


def skew_of(keys: list[KeyTraffic], fair_keys: int | None) -> Skew | None:
    """The skew of one op's keys; None when none of them was touched."""
    total = sum(key.weight for key in keys)
    if total == 0:
        return None
    hottest = max(keys, key=lambda key: key.weight)
    return Skew(
        hottest_key=hottest.key,
        hottest_share=hottest.weight / total,
        effective_keys=total**2 / sum(key.weight**2 for key in keys),
        keys_touched=sum(key.weight > 0 for key in keys),
        fair_share=1 / fair_keys if fair_keys else None,
    )


def skew_json(traffic: Traffic, fair_keys: int | None) -> dict[str, Any] | None:
    """The `skew` field of run.json; None when the counters were not read."""
    if not traffic.keys:
        return None
    found = {op: skew_of(traffic.of(op), fair_keys) for op in reversed(OPS)}
    return {
        op: {name: rounded(value) for name, value in asdict(skew).items()} if skew else None
        for op, skew in found.items()
    }
