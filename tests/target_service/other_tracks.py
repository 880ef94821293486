"""A process whose list of tracks has other names in it: it opens a ledger, sweeps and tells.

Arguments: the file, then changes such as `signups=organizations`, all made at once.
"""
# ruff: noqa: E402  (the list is changed before anything imports it)

import json
import re
import sys
import types
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

NAME = "target_service.achievements.tracks"


def _change_the_list(changes: dict[str, str]) -> None:
    """Have every import find a list of tracks in which these names are others."""
    source = (ROOT / "target_service" / "achievements" / "tracks.py").read_text()
    changed = re.sub(r'"([a-z_-]+)"', lambda m: f'"{changes.get(m[1], m[1])}"', source)
    module = types.ModuleType(NAME)
    sys.modules[NAME] = module
    exec(compile(changed, NAME, "exec"), module.__dict__)  # noqa: S102  (our own source)


_change_the_list(dict(change.split("=") for change in sys.argv[2:]))

from target_service.achievements import tables
from target_service.achievements.counting import Add, Count, Counted, count_all
from target_service.achievements.sweep import begin_sweep
from target_service.achievements.tracks import COLUMNS
from target_service.ledger.store import Store


def main(path: str) -> None:
    """Sweep, send the event `a` again, and print what became of it all."""
    store = Store(Path(path), "normal")
    tables.prepare(store)
    connection = store.connect()
    begun = begin_sweep(store, connection, None)
    assert begun is not None
    report = begun.run()
    adds = {"signups": 6, "organizations": 5}
    add = Add("a", tuple(adds.get(column, 0) for column in COLUMNS))
    with store.write_transaction(connection):
        (again,) = count_all(connection, [Count("ann", [add])], 2)
    standings = (
        "SELECT member, host_total, host_level, founder_total, founder_level"
        " FROM achievement_standings ORDER BY member"
    )
    unlocked = "SELECT member, achievement, level FROM achievement_unlocks ORDER BY number"
    told = {
        "failed": report.tally.failed,
        "unlocked": connection.execute(unlocked).fetchall(),
        "standings": connection.execute(standings).fetchall(),
        "counted_again": list(again) if isinstance(again, Counted) else str(again),
    }
    sys.stdout.write(json.dumps(told))
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1])
