"""What falls over the edges of the measured phase, told where a reader would stumble over it."""

from collections.abc import Iterator

from reports.derived import Derived
from reports.numbers.traffic import Traffic
from reports.rundir.measurements import Operation
from reports.wording import percent

# A larger difference has another cause: events that were sent again, or a fault.
_FEW = 0.01


def edges_sentence(derived: Derived) -> str | None:
    """Why counts differ a little, or a share passes 100 %; None when neither is so."""
    measurements = derived.run.measurements
    if measurements is None:
        return None
    return "; ".join(_edges(measurements.operations, derived.traffic)) or None


def _edges(operations: dict[str, Operation], traffic: Traffic) -> Iterator[str]:
    submits = operations.get("submit")
    counted = sum(key.weight for key in traffic.of("write"))
    if submits and submits.ok == submits.offered and _differs_a_little(counted, submits.ok):
        yield (
            "the service's counters are read at the phase's edges, so a few writes of the warm-up "
            "or the drain fall on either side"
        )
    if any(one.achieved > one.offered for one in operations.values()):
        yield (
            "an answer to a request of the warm-up that arrives in the measured phase counts as "
            f"achieved, so a share may pass {percent(1)}"
        )


def _differs_a_little(counted: int, sent: int) -> bool:
    return 0 < abs(counted - sent) <= max(_FEW * sent, 1)
