"""Copy a run's CSV files to where somebody wants to look at them."""

import json
from pathlib import Path

from reports.errors import ExportRefused, WriteFailed
from reports.rundir.reading import RUN_JSON, Run
from reports.rundir.writing import write_atomically

_FIRST_TABLE = "operations.csv"


def export_run(run: Run, target: Path) -> list[Path]:
    """Copy every CSV file, and run.json, which says whose they are; returns what was written."""
    sources = [*sorted(run.path.glob("*.csv")), run.path / RUN_JSON]
    if not (run.path / _FIRST_TABLE).is_file():
        raise ExportRefused(
            f"{run.path} has no tables yet: make them with "
            f"`.venv/bin/python -m reports tables {run.path}`."
        )
    try:
        if target.exists() and target.samefile(run.path):
            raise ExportRefused(f"{target} is the run itself; name another directory.")
        _refuse_another_run(target, sources, run.facts.run_id)
        target.mkdir(parents=True, exist_ok=True)
        for source in sources:
            write_atomically(target / source.name, source.read_bytes())
    except OSError as error:
        raise WriteFailed(f"{target} cannot be written: {error.strerror}.") from error
    return [target / source.name for source in sources]


def _refuse_another_run(target: Path, sources: list[Path], run_id: str) -> None:
    if target.exists() and not target.is_dir():
        raise ExportRefused(f"{target} is a file; name a directory.")
    taken = [source.name for source in sources if (target / source.name).exists()]
    owner = _owner(target)
    if taken and owner != run_id:
        whose = f"the run {owner}" if owner else "something else"
        raise ExportRefused(
            f"{target} already holds {', '.join(taken)} of {whose}; name an empty directory."
        )


def _owner(target: Path) -> str | None:
    try:
        content = json.loads((target / RUN_JSON).read_bytes())
    except (OSError, ValueError):
        return None
    run_id = content.get("run_id") if isinstance(content, dict) else None
    return run_id if isinstance(run_id, str) else None
