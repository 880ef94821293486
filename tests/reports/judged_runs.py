"""Made-up runs, changed by hand, and the verdict on them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from made_plan import Plan

from reports.derived import derive
from reports.rundir.reading import read_run
from reports.verdict.verdict import Verdict

Change = Callable[[dict[str, Any]], None]

SHORT = Plan(duration_seconds=5)
NAIVE = replace(SHORT, mode="naive")


def judged(path: Path) -> Verdict:
    """The verdict on the run at `path`."""
    return derive(read_run(path)).verdict


def changed(path: Path, name: str, change: Change) -> Path:
    """The run with one of its files changed."""
    content = json.loads((path / name).read_text())
    change(content)
    (path / name).write_text(json.dumps(content))
    return path
