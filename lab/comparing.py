"""Naive against partitioned, in alternating rounds; or any two runs that are at hand."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from lab.cli.variables import Variables
from lab.load import Outcome, run_load
from lab.run_order import RunOrder
from lab.stack.stack import Session
from workload.scenario import Scenario

MODES = ("naive", "partitioned")


def compare_modes(variables: Variables, scenario: Scenario, players: int, session: Session) -> int:
    """Measure both modes on the same seed, ROUNDS times each, and compare their medians.

    Every second round begins with the other mode, so that a machine that slows down or warms
    up favours neither.
    """
    outcomes: dict[str, list[Outcome]] = {mode: [] for mode in MODES}
    for number in range(variables.rounds):
        for mode in MODES if number % 2 == 0 else reversed(MODES):
            print(f"\nround {number + 1} of {variables.rounds}, {mode}", flush=True)
            round_variables = variables.model_copy(update={"mode": mode})
            command = round_variables.repeating("load")
            order = RunOrder(round_variables, scenario, players, command)
            outcome = run_load(order, session)
            session.stop.check()
            if outcome.folder is None:
                return outcome.code
            outcomes[mode].append(outcome)
    naive, partitioned = ([str(outcome.folder) for outcome in outcomes[mode]] for mode in MODES)
    return _compare(naive, partitioned, session)


def compare_runs(a: str, b: str, session: Session) -> int:
    """Compare two runs that are at hand."""
    return _compare([a], [b], session)


def comparison_problems(variables: Variables) -> Iterator[str]:
    """Sentences about what cannot be compared."""
    if (variables.a is None) != (variables.b is None):
        yield "A and B name two runs: give both, or neither to measure both modes."
    elif variables.target and variables.a is None:
        # a foreign service cannot be switched
        yield (
            "TARGET serves one mode: load it in each (`make load-naive`, `make load-partitioned`) "
            "and compare the two runs with A=<run> B=<run>."
        )


def _compare(first: Sequence[str], second: Sequence[str], session: Session) -> int:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    folder = session.checkout.root / "reports" / "comparisons" / stamp
    command = [sys.executable, "-m", "reports", "compare", *first]
    command += ["--against", *second, "--out", str(folder)]
    return subprocess.run(  # noqa: S603  our own interpreter and package
        command, cwd=session.checkout.root, check=False, start_new_session=True
    ).returncode
