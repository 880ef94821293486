"""One run: the stack, the load, the audit, the tables; and everything stopped again."""

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.audit.compose_audit import audit_in_compose
from lab.audit.evidence import read_counters
from lab.audit.invariants import NO_LEDGER, audit_sentence, foreign_audit, unmade_audit
from lab.audit.ledger_file import LedgerFile
from lab.audit.run_audit import audit_run, audit_with_members
from lab.drills.drill_run import DrillRun
from lab.errors import CannotWrite, LabError, UsageError
from lab.generator import generate, require_generator_ports
from lab.grafana import RunMarks, grafana_of, warn_in_record
from lab.run_order import RunOrder
from lab.stack.chosen import (
    ForeignStack,
    choose_ledger,
    find_compose_stack,
    running_stack,
    unused_proxy,
)
from lab.stack.compose import ComposeStack
from lab.stack.embedded import EmbeddedStack
from lab.stack.service_settings import describe_ledger
from lab.stack.stack import Session
from lab.writing import make_folder, write_json

_AUDIT = "audit.json"
_USAGE = 2
_STAMP_SECONDS = 0.2


@dataclass(frozen=True)
class Outcome:
    """The exit code of a run's verdict, and its directory (None after a usage error)."""

    code: int
    folder: Path | None


def run_load(order: RunOrder, session: Session) -> Outcome:
    """Measure one run and leave its directory."""
    variables = order.variables
    require_generator_ports(variables)
    folder = _new_folder(session.checkout.runs, f"{order.scenario.name}-{variables.mode}")
    make_folder(folder / "logs")
    marks = RunMarks(grafana_of(variables), variables.mode, folder.name)
    try:
        code, report = _measure(order, folder, session, marks)
    except LabError as error:
        _remove_unless_telling(folder, error)
        raise
    if code == _USAGE:
        shutil.rmtree(folder)
        return Outcome(code, None)
    if not (folder / "run.json").exists():
        # a run that never began has no report to say why
        print("\n".join(report["incidents"]), file=sys.stderr)
    try:
        write_json(folder / _AUDIT, report)
        warn_in_record(folder, marks.take_warnings())
    except CannotWrite:
        # A full disk hides no verdict: it is told without these files, and what they would say.
        (folder / _AUDIT).unlink(missing_ok=True)
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
    order: RunOrder, folder: Path, session: Session, marks: RunMarks
) -> tuple[int, dict[str, Any]]:
    """Locust's exit code and the content of `audit.json`, from whichever stack is loaded."""
    variables, assumptions = order.variables, order.scenario.assumptions
    if variables.target:
        if told := unused_proxy(variables.target):
            print(told, flush=True)
        marks.start()
        order = replace(order, stack="foreign")
        code, incidents = generate(order, ForeignStack(variables.target), folder, session)
        return code, {**foreign_audit(), "incidents": incidents}
    compose = find_compose_stack(variables, assumptions, session)
    if order.drill is None:
        variables = choose_ledger(variables, order.scenario, compose)
    kind = "compose" if compose else "embedded"
    path = variables.ledger_path or folder / "ledger.db"
    name = path if compose is None else Path(f"{folder.name}.db")
    ledger = None if compose or variables.ledger == "none" else LedgerFile(path, variables.mode)
    with running_stack(compose, variables, assumptions, folder / "logs", name, session) as stack:
        pid = f", pid {stack.service_pid}" if isinstance(stack, EmbeddedStack) else ""
        up = f"The service is up at {stack.service_url} ({variables.mode}, {kind} stack{pid})."
        print(up, flush=True)
        print(f"It runs with {describe_ledger(variables)}.", flush=True)
        before = read_counters(stack, ledger)
        order = replace(order, command=_repeating(order.command, kind), stack=kind)
        write_json(folder / _AUDIT, unmade_audit())
        marks.start()
        if order.drill and ledger and isinstance(stack, EmbeddedStack):
            drill_run = DrillRun(order, stack, ledger, folder, marks, session)
            with drill_run.beside_load():
                code, incidents = generate(order, stack, folder, session)
            audited = drill_run.conclude(audit_run(before, stack, folder, ledger, NO_LEDGER))
            return code, {**audited, "incidents": [*incidents, *drill_run.incidents]}
        code, incidents = generate(order, stack, folder, session)
        if isinstance(stack, ComposeStack) and variables.ledger != "none":
            audited = audit_in_compose(before, stack, folder)
        else:
            audited = audit_with_members(before, stack, folder, ledger, NO_LEDGER)
        return code, {**audited, "incidents": incidents}


def _repeating(command: str, kind: str) -> str:
    """The command with the stack it found up, for the run's record."""
    return command if kind == "embedded" or "STACK=" in command else f"{command} STACK={kind}"


def _tables(folder: Path, session: Session) -> int:
    """Let `reports` derive the tables and the verdict; its exit code is the run's."""
    command = [sys.executable, "-m", "reports", "tables", str(folder)]
    return subprocess.run(  # noqa: S603  our own interpreter and package
        command, cwd=session.checkout.root, check=False, start_new_session=True
    ).returncode


def _remove_unless_telling(folder: Path, error: LabError) -> None:
    """A run that never began leaves no directory, unless its logs say more than the error."""
    (folder / _AUDIT).unlink(missing_ok=True)
    is_said = isinstance(error, UsageError)
    if is_said or not any(path.stat().st_size for path in folder.rglob("*") if path.is_file()):
        shutil.rmtree(folder)
