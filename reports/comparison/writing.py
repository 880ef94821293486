"""Write a comparison: the table, and whose figures they are."""

import json
from pathlib import Path

from reports.comparison.measures import comparison_table, measures_of
from reports.comparison.record import RECORD_JSON, record
from reports.comparison.sides import Side
from reports.errors import WriteFailed
from reports.rundir.writing import write_atomically


def write_comparison(a: Side, b: Side, target: Path) -> None:
    """Write both files into `target`, which is made when missing."""
    table = comparison_table(measures_of(a, b))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(f"{target} cannot be made: {error.strerror}.") from error
    write_atomically(target / table.name, table.csv())
    made = json.dumps(record(a, b), indent=2, ensure_ascii=False) + "\n"
    write_atomically(target / RECORD_JSON, made)
