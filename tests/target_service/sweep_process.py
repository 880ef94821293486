"""A process that sweeps; it can stand still before a page until it is told to go on, or is killed.

Arguments: one JSON object: path, pause_before (a page's number), late_ms (how far its clock is
ahead). Prints one JSON line for each thing that happened.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from target_service.achievements.sweep import begin_sweep
from target_service.ledger.errors import LeaseLost
from target_service.ledger.store import Store
from target_service.timestamps import wall_clock_ms


def say(**what: object) -> None:
    """Print at once what happened."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(path: str, pause_before: int = 0, late_ms: int = 0) -> None:
    """Sweep once and say what came of it."""
    store = Store(Path(path), "normal")
    connection = store.connect()
    pages = 0

    def pause() -> bool:
        nonlocal pages
        pages += 1
        if pages == pause_before:
            say(paused=True)
            sys.stdin.readline()
        return False

    sweep = begin_sweep(store, connection, None, lambda: wall_clock_ms() + late_ms, pause)
    if sweep is None:
        say(refused=True)
        return
    before = connection.total_changes
    try:
        report = sweep.run()
    except LeaseLost as lost:
        say(fenced=str(lost), rows=connection.total_changes - before)
        return
    tally = report.tally
    say(
        scanned=tally.scanned,
        changed=tally.changed,
        unlocked=tally.unlocked,
        seconds=report.seconds,
        resumed_after=report.resumed_after,
        rows=connection.total_changes - before,
    )


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
