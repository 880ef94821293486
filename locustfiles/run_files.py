"""The files of a run directory, each written whole: beside its place, then moved there."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gevent


class RunFiles:
    """Writes into one run directory; lets other greenlets run between the pieces of a file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def make_directory(self) -> None:
        """Make the directory, which may be there already."""
        self._directory.mkdir(parents=True, exist_ok=True)

    def write_json(self, name: str, content: dict[str, Any]) -> None:
        """Write a small document for people to read as well."""
        self.write(name, [json.dumps(content, indent=2, ensure_ascii=False), "\n"])

    def write(self, name: str, pieces: Iterable[str]) -> None:
        """Write a file from its pieces."""
        place = self._directory / name
        partial = self._directory / f".{name}.tmp"
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as file:
                for piece in pieces:
                    file.write(piece)
                    gevent.sleep(0)
            os.replace(partial, place)  # noqa: PTH105  the one step that readers rely on
        except OSError:
            partial.unlink(missing_ok=True)  # on a full disk half a file is in the way
            raise
