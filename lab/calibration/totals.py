"""Totals that were measured: a CSV of past periods, and an event that has ended."""

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from lab.cli.problems import read_given_file
from lab.errors import UsageError
from lab.http_json import plain_words

COLUMNS = ["period", "total"]
_PAST_TOTALS_MOST = 2**53 - 1


def read_past_totals(path: Path) -> list[int]:
    """Return what came together in each period of a file, in units of the event.

    Raises:
        UsageError: with every row that is no period and total.
    """
    try:
        text = read_given_file(path).decode("utf-8-sig")
        rows = list(csv.reader(StringIO(text, newline="")))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"TOTALS={path} cannot be read: {plain_words(error)}.") from None
    if not rows or [name.strip() for name in rows[0]] != COLUMNS:
        raise UsageError(f"TOTALS={path}: the first line must be {','.join(COLUMNS)}.")
    found: list[int] = []
    problems: list[str] = []
    for number, row in enumerate(rows[1:], 2):
        if not row:
            continue
        total = row[1].strip() if len(row) == len(COLUMNS) else ""
        if not (total.isascii() and total.isdigit() and 0 < int(total[:20]) <= _PAST_TOTALS_MOST):
            problems.append(
                f"TOTALS={path} line {number}: {','.join(row)!r} is no period and positive whole "
                "number, as in 2026-W40,612000."
            )
        else:
            found.append(int(total))
    if not found and not problems:
        problems.append(f"TOTALS={path} has no rows below its first line.")
    if problems:
        raise UsageError(*problems)
    return found


_ENDED_EVENT_MOST = 2**53 - 1
_VERSION = 2


@dataclass(frozen=True)
class EndedEvent:
    """What was measured, and the tiers it was measured against, in order."""

    event_id: str
    unit: str
    total: int
    races: int
    contributors: int
    late: int
    tiers: tuple[tuple[str, int], ...]


def read_ended_event(told: Any, where: str) -> EndedEvent:  # noqa: ANN401  whatever JSON holds
    """Return the event from its document.

    Raises:
        UsageError: the document is no event, one that goes on, or the event in another version.
    """
    if isinstance(told, dict) and "event_id" in told and told.get("version") != _VERSION:
        raise UsageError(
            f"{where} is the event in another version than {_VERSION}, and does not say how it "
            "ended. Name GET /v2/events/<id>, or a file of its answer."
        )
    try:
        final = told["final"]
        if final is None:
            raise UsageError(
                f"{where}: event {told['event_id']} is {told['state']}; its total is measured "
                "once it is closed."
            )
        return EndedEvent(
            str(told["event_id"]),
            str(told["aggregate"]["unit"]),
            _count(final["total"]),
            _count(final["races"]),
            _count(final["contributors"]),
            _count(told["late"]),
            tuple((str(tier["name"]), _count(tier["threshold"])) for tier in told["tiers"]),
        )
    except KeyError as error:
        problem = f"it lacks {error.args[0]}"
    except (ValueError, TypeError) as error:
        problem = str(error)
    raise UsageError(f"{where} is no event as GET /v2/events/<id> tells it: {problem}.")


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _ENDED_EVENT_MOST:
        raise ValueError(f"{value!r:.40} is no count")
    return value
