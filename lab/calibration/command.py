"""`calibrate`: read what was measured, print where it puts the tiers."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.calibration.ended_event import EndedEvent, read_ended_event
from lab.calibration.past_totals import PastTotal, read_past_totals
from lab.calibration.proposal import propose
from lab.calibration.report import event_lines, past_lines, proposal_lines
from lab.checkout import Checkout
from lab.errors import UsageError
from lab.event_audit import event_of
from lab.variables import Variables

LATEST = "latest"
_SECONDS = 10.0


def calibrate(variables: Variables, checkout: Checkout) -> int:
    """Print the calibration of what TOTALS, EVENT and RUN name.

    Raises:
        UsageError: none is named, or one cannot be read.
    """
    past = read_past_totals(variables.totals) if variables.totals else []
    events = []
    if variables.event:
        events.append(_given_event(variables.event))
    if variables.run:
        events.append(_event_of_run(variables.run, checkout))
    if not past and not events:
        raise UsageError(
            "Nothing to calibrate from: name past totals with TOTALS=weeks.csv (period,total), an "
            "ended event with EVENT=<file or URL of /v2/events/...>, or a run with RUN=latest."
        )
    print("\n".join(_lines(past, events)))
    return 0


def _lines(past: list[PastTotal], events: list[EndedEvent]) -> list[str]:
    lines = list(past_lines(past)) if past else []
    for event in events:
        lines += event_lines(event)
    totals = [one.total for one in past] + [event.total for event in events if event.total]
    if not totals:
        return [*lines, "Nothing came together, so nothing is proposed."]
    return [*lines, *proposal_lines(propose(totals))]


def _given_event(where: str) -> EndedEvent:
    try:
        if where.startswith(("http://", "https://")):
            with urllib.request.urlopen(where, timeout=_SECONDS) as answer:  # noqa: S310  web only, as checked
                return read_ended_event(answer.read(), f"EVENT={where}")
        return read_ended_event(Path(where).read_bytes(), f"EVENT={where}")
    except (OSError, urllib.error.URLError) as error:
        raise UsageError(f"EVENT={where} cannot be read: {error}.") from None


def _event_of_run(run: str, checkout: Checkout) -> EndedEvent:
    """Return the event that a run of the scenario `odometer` left behind."""
    candidates = [Path(run), checkout.runs / run]
    if run == LATEST:
        candidates = sorted(checkout.runs.glob("*-odometer-*"), reverse=True)
    for folder in candidates:
        path = folder / "measurements.json"
        if not path.is_file():
            continue
        try:
            event = _event_in(json.loads(path.read_bytes()))
        except (OSError, ValueError) as error:
            raise UsageError(f"RUN={run}: {path} cannot be read: {error}.") from None
        if event is not None:
            return read_ended_event(json.dumps(event), f"RUN={run}")
    raise UsageError(f"RUN={run} is no run with a community event: `make load-odometer` makes one.")


def _event_in(measurements: Mapping[str, Any]) -> object:
    """Return the event of a run as its clients were told; None when it had none."""
    return (event_of(measurements) or {}).get("event")
