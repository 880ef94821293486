"""Which reports there are, in the order of `all`, and the one way to run them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lab.errors import UsageError
from lab.terminal.bench import Workbench
from lab.terminal.failures import failures
from lab.terminal.naive import naive
from lab.terminal.out_of_order import out_of_order
from lab.terminal.partitioned import partitioned
from lab.terminal.report_lines import checks_line, says_fail
from lab.terminal.setup import setup
from workload.model import capacity_report

ALL: Final = "all"


def capacity(workbench: Workbench) -> list[str]:
    """Report the traffic model; asks no server."""
    return capacity_report(workbench.model)


REPORTS: Final[Mapping[str, Callable[[Workbench], list[str]]]] = MappingProxyType(
    {
        "setup": setup,
        "capacity": capacity,
        "naive": naive,
        "partitioned": partitioned,
        "failures": failures,
        "out-of-order": out_of_order,
    }
)
# They take Redis down; what was accepted meanwhile is in the ledger alone.
DRILLS: Final = frozenset({"failures", "out-of-order"})


def run_terminal(command: str, workbench: Workbench) -> int:
    """Print one report, or all of them with blank lines between and a sum at the end.

    The exit code is 1 when a line says FAIL.

    Raises:
        UsageError: a variable asks for what the terminal lab does not do.
    """
    names = list(REPORTS) if command == ALL else [command]
    _require_own_stack(workbench, names)
    printed: list[str] = []
    for name in names:
        lines = REPORTS[name](workbench)
        print("\n".join(["", *lines] if printed else lines), flush=True)
        printed += lines
    if command == ALL:
        print(f"\n{checks_line(printed)}", flush=True)
    return int(says_fail(printed))


def _require_own_stack(workbench: Workbench, names: Sequence[str]) -> None:
    variables, seasons = workbench.variables, workbench.assumptions.active_seasons
    problems = []
    if variables.target:
        problems.append(
            f"TARGET={variables.target}: the terminal lab starts a service of its own, leave it "
            "out; `make load-naive` and `make load-partitioned` load one of yours."
        )
    if variables.stack == "compose":
        problems.append("STACK=compose: the terminal lab starts an embedded stack, leave it out.")
    if variables.ledger_path:
        problems.append(
            f"LEDGER_PATH={variables.ledger_path}: the terminal lab keeps a ledger beside its "
            "logs and removes it at the end, leave it out."
        )
    if variables.ledger == "none" and not DRILLS.isdisjoint(names):
        problems.append(
            "LEDGER=none: failures and out-of-order are about the ledger, leave it out; "
            "naive and partitioned measure without one in any case."
        )
    if len(seasons) != 1:
        problems.append(
            f"active_seasons={','.join(seasons)}: the terminal lab ranks one season, name one."
        )
    if problems:
        raise UsageError(*problems)
