"""All that follows from a run's files: its tables, skew and verdict, and writing them back."""

import json
from dataclasses import dataclass
from typing import Any

from reports.numbers.event_figures import event_figures
from reports.numbers.sweep_figures import SweepFigures, sweep_figures
from reports.numbers.traffic import Traffic, skew_json, traffic_of
from reports.numbers.write_parts import WriteParts, write_parts
from reports.rundir.facts import Facts
from reports.rundir.finding import write_atomically
from reports.rundir.measurements import Keys, Measurements
from reports.rundir.reading import RUN_JSON, Run
from reports.rundir.seconds import Seconds
from reports.tables.keys import key_timeline_table, keys_table, shards_table
from reports.tables.operations import failures_table, operations_table, timeline_table
from reports.tables.scenarios import odometer_table, sweep_table
from reports.tables.table import Table
from reports.verdict.verdict import Verdict, verdict_of

# What a run without usable measurements has: every table, none of them with a row.
_NOTHING = Measurements(ended="unfinished", operations={})


@dataclass(frozen=True)
class Derived:
    """Everything derived from one run."""

    run: Run
    traffic: Traffic
    tables: dict[str, Table]
    skew: dict[str, Any] | None
    verdict: Verdict
    write_parts: WriteParts | None
    sweep: SweepFigures | None


def derive(run: Run) -> Derived:
    """Compute everything anew from the raw files; nothing derived before is trusted."""
    measurements = run.measurements or _NOTHING
    keys = measurements.keys if run.measurements else Keys(reason="there are no measurements")
    traffic = traffic_of(keys, run.facts.board_keys)
    seconds = run.seconds or Seconds(run.path, measurements)
    sweep = sweep_figures(run.facts, run.measurements, run.seconds)
    tables = [
        *_tables(run.facts, measurements, traffic),
        timeline_table(run.facts, measurements, seconds),
        key_timeline_table(seconds),
    ]
    if sweep is not None:
        tables.append(sweep_table(sweep))
    return Derived(
        run=run,
        traffic=traffic,
        tables={table.name: table for table in tables},
        skew=skew_json(traffic, run.facts.fair_keys),
        verdict=verdict_of(run, traffic),
        write_parts=write_parts(keys, traffic),
        sweep=sweep,
    )


def write_derived(derived: Derived) -> None:
    """Write the CSV files, and run.json last: its verdict says that the others are there."""
    path = derived.run.path
    for table in derived.tables.values():
        write_atomically(path / table.name, table.lines())
    completed = derived.run.raw | {"skew": derived.skew, "verdict": derived.verdict.json()}
    write_atomically(path / RUN_JSON, json.dumps(completed, indent=2, ensure_ascii=False) + "\n")


def _tables(facts: Facts, measurements: Measurements, traffic: Traffic) -> list[Table]:
    tables = [
        operations_table(facts, measurements),
        keys_table(traffic, facts.fair_keys),
        failures_table(facts, measurements),
    ]
    figures = event_figures(facts, measurements)
    if figures is not None:
        tables.append(odometer_table(figures))
    shards = shards_table(measurements, traffic)
    return [*tables, shards] if shards else tables
