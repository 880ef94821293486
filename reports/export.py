"""Copy a run's CSV files to where somebody wants to look at them."""

from pathlib import Path

import msgspec

from reports.errors import ExportRefused, WriteFailed
from reports.rundir.files import UnusableFile, read_inside, sane_json
from reports.rundir.finding import write_atomically
from reports.rundir.reading import RUN_JSON, Run

_FIRST_TABLE = "operations.csv"


def export_run(run: Run, target: Path) -> list[Path]:
    """Copy every CSV file, and run.json, which says whose they are; returns what was written."""
    names = [*sorted(source.name for source in run.path.glob("*.csv")), RUN_JSON]
    if _FIRST_TABLE not in names:
        raise ExportRefused(
            f"{run.path} has no tables yet: make them with "
            f"`.venv/bin/python -m reports tables {run.path}`."
        )
    try:
        if target.exists() and target.samefile(run.path):
            raise ExportRefused(f"{target} is the run itself; name another directory.")
        _refuse_another_run(target, names, run.facts.run_id)
        contents = {name: read_inside(run.path, name) for name in names}
        target.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            write_atomically(target / name, content)
    except UnusableFile as error:
        raise ExportRefused(f"{run.path} is not exported: {error}.") from None
    except OSError as error:
        raise WriteFailed(f"{target} cannot be written: {error.strerror}.") from error
    return [target / name for name in names]


def _refuse_another_run(target: Path, names: list[str], run_id: str) -> None:
    if target.exists() and not target.is_dir():
        raise ExportRefused(f"{target} is a file; name a directory.")
    taken = [name for name in names if (target / name).exists()]
    owner = _owner(target)
    if taken and owner != run_id:
        whose = f"the run {owner}" if owner else "something else"
        raise ExportRefused(
            f"{target} already holds {', '.join(taken)} of {whose}; name an empty directory."
        )


def _owner(target: Path) -> str | None:
    try:
        content = sane_json(read_inside(target, RUN_JSON))
    except (OSError, UnusableFile, msgspec.MsgspecError, ValueError, RecursionError):
        return None
    run_id = content.get("run_id") if isinstance(content, dict) else None
    return run_id if isinstance(run_id, str) else None
