"""The community event that the scenario makes."""

import json
import time
from dataclasses import replace

from load_plans import RACES

from locustfiles.scenarios.odometer import body_of, expected_miles, window_of


def test_the_event_opens_and_closes_within_the_run() -> None:
    """Its end is read before the load ends, whatever the length of the run."""
    for seconds in (1, 5, 60, 86_400):
        plan = replace(RACES, duration_seconds=seconds)
        window = window_of(plan, 1_000)
        assert 1_000_000 < window.opens_at_ms < window.closes_at_ms
        assert window.ends_at_ms < 1_000_000 + seconds * 1_000
    assert window_of(plan, None).opens_at_ms > time.time() * 1_000


def test_one_tier_is_to_be_expected() -> None:
    """The thresholds lie around the miles that the schedule should bring."""
    plan = RACES
    body = json.loads(body_of(plan, window_of(plan, 1_000)))
    thresholds = [tier["threshold"] for tier in body["tiers"]]

    assert expected_miles(plan) == 61_845
    assert thresholds == [49_476, 74_214, 98_952]
    assert body["opens_at"] == "1970-01-01T00:16:46.000Z"
    small = replace(plan, rates={"races": "1/1000"})
    assert json.loads(body_of(small, window_of(small, 1_000)))["tiers"] == []
