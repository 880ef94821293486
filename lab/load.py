"""One run: the stack, the load, the audit, the tables; and everything stopped again."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import redis

from lab.audit import NO_LEDGER, audit, audit_sentence, foreign_audit, incomparable_audit
from lab.chosen_stack import find_compose_stack, running_stack
from lab.drills.drill import Drill
from lab.drills.drill_run import DrillRun
from lab.embedded_stack import EmbeddedStack
from lab.errors import CannotWrite, LabError, PartFailed
from lab.evidence import Counters, read_counters
from lab.final_scores import highest_accepted, read_rows, scores_in_redis
from lab.foreign import ForeignStack
from lab.generator import generate, require_generator_ports
from lab.grafana import grafana_of
from lab.ledger_file import LedgerEvidence, LedgerFile
from lab.run_marks import RunMarks, warn_in_record
from lab.service_settings import describe_ledger
from lab.session import Session
from lab.stack import Stack
from lab.variables import Variables
from lab.writing import make_folder, write_json
from workload.scenario import Scenario

_USAGE = 2
_STAMP_SECONDS = 0.2
_IN_A_VOLUME = "the ledger lies in a volume of the containers"


@dataclass(frozen=True)
class Outcome:
    """The exit code of a run's verdict, and its directory (None after a usage error)."""

    code: int
    folder: Path | None


def run_load(
    variables: Variables,
    scenario: Scenario,
    players: int,
    command: str,
    session: Session,
    drill: Drill | None = None,
) -> Outcome:
    """Measure one run, with a drill's fault beside it or without, and leave its directory."""
    require_generator_ports(variables)
    folder = _new_folder(session.checkout.runs, f"{scenario.name}-{variables.mode}")
    make_folder(folder / "logs")
    marks = RunMarks(grafana_of(variables), variables.mode, folder.name)
    try:
        code, report = _measure(
            variables, scenario, players, folder, command, session, marks, drill
        )
    except LabError:
        _remove_if_empty(folder)
        raise
    if code == _USAGE:
        shutil.rmtree(folder)
        return Outcome(code, None)
    if not (folder / "run.json").exists():
        # a run that never began has no report to say why
        print("\n".join(report["incidents"]), file=sys.stderr)
    try:
        write_json(folder / "audit.json", report)
        warn_in_record(folder, marks.take_warnings())
    except CannotWrite:
        # A full disk hides no verdict: it is told without these files, and what they would say.
        print(audit_sentence(report), file=sys.stderr)
        _tables(folder, session)
        raise
    verdict = _tables(folder, session)
    marks.finish(folder)
    warn_in_record(folder, marks.take_warnings())
    return Outcome(verdict, folder)


def _new_folder(runs: Path, name: str) -> Path:
    """A place for this run, in the next second when the last run began in this one."""
    while True:
        folder = runs / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{name}"
        if not folder.exists():
            return folder
        time.sleep(_STAMP_SECONDS)


def _measure(
    variables: Variables,
    scenario: Scenario,
    players: int,
    folder: Path,
    command: str,
    session: Session,
    marks: RunMarks,
    drill: Drill | None,
) -> tuple[int, dict[str, Any]]:
    """Locust's exit code and the content of `audit.json`, from whichever stack is loaded."""
    if variables.target:
        foreign = ForeignStack(variables.target)
        marks.start()
        code, incidents = generate(variables, players, foreign, folder, command, session)
        return code, {**foreign_audit(), "incidents": incidents}
    compose = find_compose_stack(variables, scenario.assumptions, session)
    kind = "compose" if compose else "embedded"
    logs = folder / "logs"
    path = variables.ledger_path or folder / "ledger.db"
    name = path if compose is None else Path(f"{folder.name}.db")
    ledger = None if compose or variables.ledger == "none" else LedgerFile(path, variables.mode)
    with running_stack(compose, variables, scenario.assumptions, logs, name, session) as stack:
        up = f"The service is up at {stack.service_url} ({variables.mode}, {kind} stack)."
        print(up, flush=True)
        print(f"It runs with {describe_ledger(variables)}.", flush=True)
        before = read_counters(stack, ledger)
        command = _repeating(command, kind)
        marks.start()
        if drill and ledger and isinstance(stack, EmbeddedStack):
            broken = DrillRun(
                drill, variables, stack, ledger, folder, marks, session, scenario.load
            )
            with broken.beside_load():
                code, incidents = generate(
                    variables, players, stack, folder, command, session, keep_log=True
                )
            audited = broken.conclude(_audit(before, stack, folder, ledger, NO_LEDGER))
            return code, {**audited, "incidents": [*incidents, *broken.incidents]}
        code, incidents = generate(variables, players, stack, folder, command, session)
        why = NO_LEDGER if variables.ledger == "none" else _IN_A_VOLUME
        audited = _audit(before, stack, folder, ledger, why)
        return code, {**audited, "incidents": incidents}


def _repeating(command: str, kind: str) -> str:
    """The command with the stack it found up, for the run's record."""
    return command if kind == "embedded" or "STACK=" in command else f"{command} STACK={kind}"


def _audit(
    before: Counters, stack: Stack, folder: Path, ledger: LedgerFile | None, no_ledger: str
) -> dict[str, Any]:
    """Compare what can be compared; what a dead process took with it is said to be so."""
    failure = stack.failure()
    if failure is not None:
        return incomparable_audit(failure)
    try:
        measurements = json.loads((folder / "measurements.json").read_bytes())
        read_counters(stack)  # of a service that does not answer nothing is waited for
        unprojected = ledger.settle() if ledger else 0
        rows = read_rows(folder / "final_scores.csv")
        scores = list(scores_in_redis(rows, stack.redis_url))
        after = read_counters(stack, ledger)
        if ledger is None:
            return audit(before, after, measurements, scores, no_ledger)
        kept = ledger.keep(highest_accepted(rows))
        found = LedgerEvidence(unprojected, ledger.compare(stack.redis_url), kept)
        return audit(before, after, measurements, scores, found)
    except FileNotFoundError as error:
        return incomparable_audit(f"the generator left no {Path(error.filename).name}")
    except (PartFailed, redis.RedisError) as error:
        return incomparable_audit(str(error))


def _tables(folder: Path, session: Session) -> int:
    """Let `reports` derive the tables and the verdict; its exit code is the run's."""
    command = [sys.executable, "-m", "reports", "tables", str(folder)]
    return subprocess.run(  # noqa: S603  our own interpreter and package
        command, cwd=session.checkout.root, check=False, start_new_session=True
    ).returncode


def _remove_if_empty(folder: Path) -> None:
    """A run that never began leaves no directory, unless its logs say why."""
    if not any(path.stat().st_size for path in folder.rglob("*") if path.is_file()):
        shutil.rmtree(folder)
