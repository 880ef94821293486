"""Writes the small files of the lab whole or not at all."""

import json
from pathlib import Path

from lab.errors import CannotWrite


def write_json(path: Path, content: object) -> None:
    """Write beside `path`, then replace it in one step.

    Raises:
        CannotWrite: the disk is full, or the place is not ours to write in.
    """
    fresh = path.with_suffix(".new")
    try:
        fresh.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        if fresh.is_file():
            fresh.unlink()
        raise CannotWrite(path, error) from error


def make_folder(path: Path) -> None:
    """Make a folder and its parents, unless it is there.

    Raises:
        CannotWrite: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(path, error) from error
