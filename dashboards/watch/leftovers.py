"""What a watch that was killed could not end itself: found by its folder, and ended by the next."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil
from mirakuru.base import ENV_UUID

_NAME: Final = re.compile(r"hotboard-watch-(\d+)-")
_MODULE: Final = "dashboards.watch"
_PATIENCE_SECONDS: Final = 5.0


def folder_prefix() -> str:
    """How the temporary folder of this process's watch begins."""
    return f"hotboard-watch-{os.getpid()}-"


def end_leftovers(temporary: Path) -> list[str]:
    """End what dead watches of this user have left, and return the programs that were."""
    ended = []
    for folder in sorted(temporary.glob("hotboard-watch-*")):
        if not _is_left(folder):
            continue
        processes = list(_of(folder))
        for process in processes:
            with suppress(psutil.Error):
                ended.append(f"{process.name()} (pid {process.pid})")
                process.terminate()
        _, alive = psutil.wait_procs(processes, _PATIENCE_SECONDS)
        for process in alive:
            with suppress(psutil.Error):
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return ended


def _is_left(folder: Path) -> bool:
    """Whether the folder is ours, and the watch that made it is gone."""
    found = _NAME.match(folder.name)
    with suppress(OSError, psutil.Error):
        if found is None or folder.stat().st_uid != os.getuid():
            return False
        # a pid that lives may be somebody else's by now
        return _MODULE not in psutil.Process(int(found[1])).cmdline()
    return found is not None and folder.is_dir()


def _of(folder: Path) -> Iterator[psutil.Process]:
    """The processes that a watch started, and told to keep their files there."""
    owner = folder.name.removeprefix("hotboard-watch-").partition("-")[0]
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            environment = process.environ()
            told = [*process.cmdline(), *environment.values()]
            is_started = environment.get(ENV_UUID, "").startswith(f"{owner}:")
            if is_started and any(str(folder) in text for text in told):
                yield process
