"""The file and the program that a user names for a stack, looked at before anything is started."""

import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

from lab.variables import Variables

_ANSWER_SECONDS = 10.0
_SQLITE = b"SQLite format 3\0"
# Of the names that SQLite makes of the file's own.
_LONGEST_ENDING = "-journal"
# `Redis server v=8.0.2 …`, and likewise Valkey and KeyDB.
_SERVER = re.compile(r"\bserver v=\d")


def unusable_places(variables: Variables) -> list[str]:
    """A sentence for each of LEDGER_PATH and HOTBOARD_REDIS_BIN that no stack could use."""
    found = []
    if variables.ledger_path and (problem := _no_ledger(variables.ledger_path)):
        found.append(f"LEDGER_PATH={variables.ledger_path} {problem}.")
    if variables.hotboard_redis_bin and (problem := _no_server(variables.hotboard_redis_bin)):
        found.append(
            f"HOTBOARD_REDIS_BIN={variables.hotboard_redis_bin} {problem}: name a redis-server or "
            "valkey-server, or leave it out."
        )
    return found


def _no_ledger(path: Path) -> str | None:
    """Why no ledger can be kept there, and what to do; None when one can."""
    try:
        return _no_folder_for_ledger(path.parent) or _no_ledger_there(path)
    except OSError as error:
        # a name that is too long, a link that leads to itself
        return f"cannot be kept ({error.strerror}): name another file"


def _no_folder_for_ledger(folder: Path) -> str | None:
    if not folder.exists():
        return f"lies in a folder that does not exist: make {folder}, or name another file"
    if not folder.is_dir():
        return f"cannot be a file, as {folder} is none that holds any: name one in a folder"
    # SQLite keeps more files beside it.
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"cannot be kept: make the folder {folder} writable, or name another file"
    return None


def _no_ledger_there(path: Path) -> str | None:
    with suppress(FileNotFoundError):
        Path(f"{path}{_LONGEST_ENDING}").stat()
    try:
        path.stat()
    except FileNotFoundError:
        return None
    if not path.is_file():
        return "is not a file: name one"
    if not os.access(path, os.R_OK | os.W_OK):
        return "cannot be written: make it readable and writable, or name another file"
    if not _may_be_database(path):
        return "is a file of another kind: name another one"
    return None


def _may_be_database(path: Path) -> bool:
    """Whether a file is empty or begins as SQLite's do; the service looks at the rest."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) in {b"", _SQLITE}


def _no_server(program: Path) -> str | None:
    """Why this is no Redis-compatible server, as it says itself; None when it is one."""
    if not os.access(program, os.X_OK) or program.is_dir():
        return "is no program that can be run"
    try:
        said = subprocess.run(  # noqa: S603  the program that the user wants to be run
            [program.absolute(), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired:
        return f"did not tell its --version within {_ANSWER_SECONDS:g} s"
    except OSError as error:
        return f"is no program that can be run ({error.strerror})"
    return None if _SERVER.search(said) else "is no Redis-compatible server by its --version"
