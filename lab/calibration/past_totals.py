"""Past totals, one row for each period as long as the event: a CSV of `period,total`."""

import csv
from io import StringIO
from pathlib import Path

from lab.asking import plain_words
from lab.errors import UsageError
from lab.given_file import read_given_file

COLUMNS = ["period", "total"]
_MOST = 2**53 - 1


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
        if not (total.isascii() and total.isdigit() and 0 < int(total[:20]) <= _MOST):
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
