"""The files of a run directory, each written whole: beside its place, then moved there."""

import json
import os
import shutil
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

    def append(self, name: str, length: int, lines: Iterable[str]) -> int:
        """Write lines behind the first `length` bytes of a file; returns its length then."""
        text = "".join(lines).encode()
        place = self._directory / name
        if text:
            with place.open("r+b" if length else "wb") as file:
                # what an earlier try left behind on a full disk is written over
                file.seek(length)
                file.write(text)
                file.truncate()
        return length + len(text)

    def copy(self, name: str, directory: Path) -> None:
        """Copy a file into another directory; a thread does it while the load goes on."""
        source = self._directory / name
        if source.exists():
            gevent.get_hub().threadpool.apply(shutil.copyfile, (source, directory / name))

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
