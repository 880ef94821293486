"""`python -m lab`: what the Makefile calls.

The variables of make are read from the environment; `make help` lists them.
Exit codes: 0 pass, 1 fail, 2 usage, 3 invalid.
"""

import argparse
import signal
import sys
from collections.abc import Sequence

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Ctrl-C before anybody listens for it ends the command without a traceback from an import.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from lab.calibration.command import calibrate
from lab.cli.checks import misplaced_drill, require_sensible_load, unusable_places
from lab.cli.problems import Problems
from lab.cli.variables import Variables, read_variables
from lab.comparing import compare_modes, compare_runs, comparison_problems
from lab.drills.catalogue import DRILLS, drill_variables, missing_fault
from lab.errors import LabError, UsageError
from lab.load import run_load
from lab.output import with_output
from lab.run_order import RunOrder
from lab.serve import serve, serve_problems
from lab.stack.checkout_lock import HERE, lock_checkout
from lab.stack.chosen import require_mode
from lab.stack.compose_commands import compose_command
from lab.stack.stack import Session
from lab.stopping import StopRequest
from lab.sweep import sweep
from lab.terminal.bench import Workbench
from lab.terminal.commands import ALL, REPORTS, run_terminal
from workload.assumptions import InvalidWorkload
from workload.model import TrafficModel, capacity_report
from workload.scenario import Scenario, load_scenario

_COMPOSE = ("up", "stop", "down")
_TERMINAL = (*REPORTS, ALL)
# They start a stack of their own, unless they find one.
_EMBEDDING = frozenset({*_TERMINAL, "compare", "drill", "load", "serve"} - {"capacity"})


def main() -> int:
    """Run one command of the lab."""
    parser = argparse.ArgumentParser(
        prog="python -m lab", description="Local leaderboard scaling and correctness lab"
    )
    parser.add_argument(
        "command",
        choices=(*_TERMINAL, "calibrate", "compare", "drill", "load", "serve", "sweep", *_COMPOSE),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change an assumption of the scenario (SET=... under make)",
    )
    options = parser.parse_args()
    command: str = options.command
    try:
        return _run(command, options.set)
    except LabError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _run(command: str, overrides: Sequence[str]) -> int:
    problems = Problems()
    variables = read_variables(problems)
    variables = variables.model_copy(update={"set": (*variables.set, *overrides)})
    if command not in {"drill", "load"}:
        problems.add(misplaced_drill(variables))
    if command == "calibrate":
        return calibrate(variables, HERE, problems)
    if command == "sweep":
        problems.tell()
        return sweep(variables)
    if command == "drill":
        variables = drill_variables(variables, problems)
    with problems.collected():
        scenario = _scenario(variables)
        _look_at_load(command, variables, scenario, problems)
    if command in _EMBEDDING and not variables.target:
        problems.add(unusable_places(variables))
    problems.tell()
    if command == "capacity":
        print("\n".join(capacity_report(TrafficModel(scenario.assumptions))))
        return 0
    return _with_processes(command, variables, scenario)


def _look_at_load(
    command: str, variables: Variables, scenario: Scenario, problems: Problems
) -> None:
    """Add what stands in the way of the load that a command is to send, if it sends one."""
    if command == "drill":
        problems.add(missing_fault(variables, scenario))
    elif command == "compare":
        problems.add(comparison_problems(variables))
    elif command == "serve":
        problems.add(serve_problems(variables))
    if command == "load" or (command == "compare" and not (variables.a or variables.b)):
        require_sensible_load(variables, scenario)


def _scenario(variables: Variables) -> Scenario:
    path = HERE.scenarios / f"{variables.scenario}.toml"
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in HERE.scenarios.glob("*.toml")))
        raise UsageError(f"SCENARIO={variables.scenario} has no file {path}: choose from {known}.")
    try:
        scenario = load_scenario(path, variables.set)
    except InvalidWorkload as error:
        raise UsageError(*error.problems) from None
    if scenario.name != path.stem:
        # Runs are called by the name, and would pass for those of another scenario.
        raise UsageError(f'{path}: the name must be that of the file: write name = "{path.stem}".')
    return scenario


def _with_processes(command: str, variables: Variables, scenario: Scenario) -> int:
    stop = StopRequest()
    stop.install()
    words = variables.repeating(command)
    with lock_checkout(HERE.state, words) as lock:
        session = Session(HERE, lock, stop)
        if command in _TERMINAL:
            return run_terminal(command, Workbench(variables, scenario.assumptions, session))
        if command == "compare" and variables.a and variables.b:
            return compare_runs(variables.a, variables.b, session)
        if command in _COMPOSE:
            return compose_command(command, variables, scenario.assumptions, session)
        if command == "serve":
            return serve(variables, scenario.assumptions, session)
        if variables.target and command == "load":
            require_mode(variables.target, variables.mode)
        players = variables.players or TrafficModel(scenario.assumptions).players(variables.scale)
        if command == "compare":
            return compare_modes(variables, scenario, players, session)
        drill = DRILLS[variables.drill] if command == "drill" and variables.drill else None
        return run_load(RunOrder(variables, scenario, players, words, drill), session).code


if __name__ == "__main__":
    sys.exit(with_output(main))
