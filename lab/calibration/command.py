"""`calibrate`: read what was measured, print where it puts the tiers."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median

from lab.addresses import require_no_user, shown
from lab.audit.community_event import event_of
from lab.calibration.proposal import event_lines, past_lines, proposal_lines, propose
from lab.calibration.totals import EndedEvent, read_ended_event, read_past_totals
from lab.cli.problems import Problems, read_given_file
from lab.cli.variables import Variables
from lab.errors import UsageError
from lab.http_json import NoAnswer, ask_json, plain_words
from lab.stack.checkout_lock import Checkout

LATEST = "latest"
# Periods of the same length differ, but not by this much.
_FAR = 3
_NOTHING_NAMED = (
    "Nothing to calibrate from: name past totals with TOTALS=weeks.csv (period,total), an "
    "ended event with EVENT=<file or URL of /v2/events/...>, or a run with RUN=latest."
)


def calibrate(variables: Variables, checkout: Checkout, problems: Problems) -> int:
    """Print the calibration of what TOTALS, EVENT and RUN name, unless there were problems before.

    Raises:
        UsageError: none is named, or some cannot be read.
    """
    past: list[int] = []
    events: dict[str, EndedEvent] = {}
    readings: list[Callable[[], None]] = []
    if totals := variables.totals:
        readings.append(lambda: past.extend(read_past_totals(totals)))
    if event := variables.event:
        readings.append(lambda: events.update({f"EVENT={event}": _given_event(event)}))
    if run := variables.run:
        readings.append(lambda: events.update({f"RUN={run}": _event_of_run(run, checkout)}))
    if not readings:
        problems.add([_NOTHING_NAMED])
    for read in readings:
        with problems.collected():
            read()
    problems.add(_far_apart(past, events))
    problems.tell()
    print(shown("\n".join(_lines(past, list(events.values())))))
    return 0


def _far_apart(past: list[int], events: Mapping[str, EndedEvent]) -> Iterator[str]:
    """Sentences about events whose totals are no more periods like the others."""
    for named, event in events.items():
        others = [*past]
        others += [other.total for other in events.values() if other is not event and other.total]
        if not others or not event.total:
            continue
        usual = median(others)
        if not usual / _FAR <= event.total <= usual * _FAR:
            yield (
                f"{named} ended with {event.total:,}, the median of the other totals is "
                f"{usual:,.0f}: more than {_FAR} times apart, they are not of the same length or "
                "the same players. Leave it out, or calibrate from it alone."
            )


def _lines(past: list[int], events: list[EndedEvent]) -> list[str]:
    lines = list(past_lines(past)) if past else []
    for event in events:
        lines += event_lines(event)
    totals = past + [event.total for event in events if event.total]
    if not totals:
        return [*lines, "Nothing came together, so nothing is proposed."]
    return [*lines, *proposal_lines(propose(totals))]


def _given_event(where: str) -> EndedEvent:
    try:
        if where.startswith(("http://", "https://")):
            require_no_user(where)
            told = ask_json(where)
        else:
            told = json.loads(read_given_file(Path(where)))
    except NoAnswer as error:
        raise UsageError(f"EVENT={where} cannot be read: {error}.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"EVENT={where} cannot be read: {plain_words(error)}.") from None
    return read_ended_event(told, f"EVENT={where}")


def _event_of_run(run: str, checkout: Checkout) -> EndedEvent:
    """Return the event that a run of the scenario `odometer` left behind."""
    candidates = [Path(run), checkout.runs / run]
    if run == LATEST:
        candidates = sorted(checkout.runs.glob("*-odometer-*"), reverse=True)
    for folder in candidates:
        path = folder / "measurements.json"
        try:
            event = _event_in(json.loads(read_given_file(path)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"RUN={run}: {path} cannot be read: {plain_words(error)}.") from None
        if event is not None:
            return read_ended_event(event, f"RUN={run}")
    raise UsageError(f"RUN={run} is no run with a community event: `make load-odometer` makes one.")


def _event_in(measurements: object) -> object:
    """Return the event of a run as its clients were told; None when it had none."""
    if not isinstance(measurements, dict) or not isinstance(measurements.get("scenario"), dict):
        return None
    return (event_of(measurements) or {}).get("event")
