"""Between which numbers an answer must lie, from what its panel says about itself."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

# the last finite bucket of every histogram here: no interpolated quantile can pass it
TOP_BUCKET_SECONDS: Final = 2.5

_QUANTILE: Final = re.compile(r"histogram_quantile|_seconds:p\d")


@dataclass(frozen=True)
class Bounds:
    """The least and the largest value that make sense."""

    low: float = 0.0
    high: float = math.inf

    def fault(self, value: float) -> str | None:
        """Say what is wrong with a value, if anything is."""
        if not math.isfinite(value):
            return f"{value} is no number"
        if not self.low <= value <= self.high:
            return f"{value:g} is not within {self.low:g} and {self.high:g}"
        return None


def bounds_of(panel: Mapping[str, Any], target: Mapping[str, Any]) -> Bounds:
    """Read the bounds of one target off its panel: min and max, of its own column in a table."""
    field = {**panel["fieldConfig"]["defaults"], **_column(panel, target["refId"])}
    high = field.get("max", math.inf)
    if field["unit"] == "s" and _QUANTILE.search(target["expr"]):
        high = min(high, TOP_BUCKET_SECONDS)
    return Bounds(field.get("min", 0.0), high)


def _column(panel: Mapping[str, Any], ref_id: str) -> dict[str, Any]:
    shown = f"Value #{ref_id}"
    for transformation in panel.get("transformations", []):
        shown = transformation["options"].get("renameByName", {}).get(shown, shown)
    return {
        item["id"]: item["value"]
        for override in panel["fieldConfig"]["overrides"]
        if override["matcher"] == {"id": "byName", "options": shown}
        for item in override["properties"]
    }
