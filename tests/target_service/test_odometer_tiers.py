"""Known answers: which tiers a total clears."""

import pytest
from odometer_events import TIERS

from target_service.odometer.event import TierState, reached, states


def test_the_run_that_started_it_all() -> None:
    """624,836 of 600,000, 700,000 and 800,000: bronze complete, silver not reached, gold locked."""
    assert reached(624_836, TIERS) == "bronze"
    assert states(624_836, TIERS) == [
        TierState("bronze", 600_000, "complete", 0),
        TierState("silver", 700_000, "not_reached", 75_164),
        TierState("gold", 800_000, "locked", 175_164),
    ]


@pytest.mark.parametrize(
    ("total", "tier", "missing"),
    [(599_999, None, 1), (600_000, "bronze", 0), (600_001, "bronze", 0), (799_999, "silver", 0)],
)
def test_a_total_that_equals_a_threshold_clears_it(
    total: int, tier: str | None, missing: int
) -> None:
    """One less does not; more clears no other one before its own threshold."""
    assert reached(total, TIERS) == tier
    assert states(total, TIERS)[0].missing == missing


def test_an_event_that_measures_needs_no_tiers() -> None:
    """Nothing is reached, whatever the total."""
    assert reached(624_836, ()) is None
    assert states(624_836, ()) == []
