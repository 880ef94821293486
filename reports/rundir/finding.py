"""Finding a run by what a person types, and writing its files whole or not at all."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from reports.errors import RunNotFound, WriteFailed
from reports.rundir.reading import RUN_JSON

RUNS_DIR = Path(__file__).resolve().parents[1] / "runs"
LATEST = "latest"

_RUN_NAME = re.compile(r"\d{8}T\d{6}Z-[a-z0-9-]+")


def run_directories(runs_dir: Path) -> list[Path]:
    """Every directory named like a run, newest first; raises RunNotFound if none may be seen."""
    try:
        found = list(runs_dir.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise RunNotFound(f"The runs in {runs_dir} cannot be listed: {error.strerror}.") from None
    named = [path for path in found if path.is_dir() and _RUN_NAME.match(path.name)]
    return sorted(named, key=lambda path: path.name, reverse=True)


def find_run(asked: str, runs_dir: Path) -> Path:
    """The directory meant by `asked`; raises RunNotFound with what could be meant instead."""
    # One that was killed before it had a record is no run that could be meant.
    runs = [path for path in run_directories(runs_dir) if (path / RUN_JSON).exists()]
    if asked == LATEST:
        if not runs:
            raise RunNotFound(f"There is no run in {runs_dir} yet: `make load-naive` makes one.")
        return runs[0]
    for candidate in (Path(asked), runs_dir / asked):
        # Of what cannot even be looked at, such as a name that is too long, os.access is no error.
        if asked and os.access(candidate, os.F_OK) and candidate.is_dir():
            return candidate
    newest = f"; the newest there is {runs[0].name}" if runs else ", which holds no run yet"
    raise RunNotFound(
        f"{asked!r} is neither a run directory nor the id of a run in {runs_dir}{newest}."
    )


def write_atomically(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Write beside `path`, then replace it in one step."""
    whole = content.encode() if isinstance(content, str) else content
    pieces = [whole] if isinstance(whole, bytes) else (piece.encode() for piece in whole)
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # made anew, so that a link that somebody left under this name is not followed
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:
            file.writelines(pieces)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WriteFailed(f"{path} cannot be written: {error.strerror}.") from error
