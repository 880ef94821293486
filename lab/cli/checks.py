"""What is wrong with a command, told before anything is started."""

import os
import re
import subprocess
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from lab.cli.variables import Variables
from lab.errors import UsageError
from lab.stack.ports import clashing
from workload.operations import OPERATIONS
from workload.scenario import Scenario

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


# Far above what one can send; those that wait for the deadline of ten seconds fill about 2 GB.
_MOST_PER_WORKER = 1_000_000


def require_sensible_load(variables: Variables, scenario: Scenario) -> None:
    """Make sure that a load measures what was asked for.

    Raises:
        UsageError: with everything that would be ignored, or fail for sure.
    """
    problems = misplaced_drill(variables)
    if "recovery_seconds" in scenario.objectives:
        problems.append(
            f"SCENARIO={scenario.name} is a drill's, in which something must be broken: "
            f"use `make drill DRILL={scenario.name}`."
        )
    kept = [name for name in scenario.rates() if OPERATIONS[name].needs_ledger]
    if variables.ledger == "none" and kept:
        problems.append(
            f"The scenario {scenario.name} sends {', '.join(kept)}, which a service without a "
            "ledger does not have: leave out LEDGER=none."
        )
    problems += [*unprepared(scenario), *beyond_memory(variables, scenario)]
    problems += clashing_ports(variables)
    if problems:
        raise UsageError(*problems)


def misplaced_drill(variables: Variables) -> list[str]:
    """A sentence when a command is given a drill that is not `make drill`."""
    if variables.drill is None:
        return []
    return [f"DRILL={variables.drill} belongs to `make drill`: nothing else breaks, leave it out."]


def beyond_memory(variables: Variables, scenario: Scenario) -> list[str]:
    """A sentence about more requests than the generator can keep waiting for their deadline."""
    wanted = sum(scenario.rates(variables.scale).values())
    if wanted <= _MOST_PER_WORKER * variables.workers:
        return []
    problem = (
        f"SCALE={variables.scale:g} of the scenario {scenario.name} is {float(wanted):,.0f} "
        f"requests a second, above the {_MOST_PER_WORKER:,} that a generator worker has memory "
        "for: lower SCALE or the rates, or raise WORKERS."
    )
    return [problem]


def clashing_ports(variables: Variables) -> list[str]:
    """A sentence for each port that two parts of a run would listen on."""
    wanted = {
        "SERVICE_PORT": 0 if variables.target else variables.service_port,
        "LOCUST_PORT": variables.locust_port if variables.locust_ui else 0,
        "LOADGEN_PORT": variables.loadgen_port,
    }
    return clashing(wanted)


def unprepared(scenario: Scenario) -> list[str]:
    """A sentence for each scenario whose operations another one would send unprepared."""
    names: dict[str, list[str]] = defaultdict(list)
    for name in scenario.rates():
        owner = OPERATIONS[name].prepared_by
        if owner not in {None, scenario.name}:
            names[str(owner)].append(name)
    return [
        f"{', '.join(sent)}: only SCENARIO={owner} prepares what they ask for."
        for owner, sent in names.items()
    ]
