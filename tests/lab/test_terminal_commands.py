"""The commands of the terminal lab: their order, their exit codes, what they refuse."""

import sys
from pathlib import Path

import pytest

from lab import __main__ as program
from lab.cli.variables import Variables
from lab.errors import UsageError
from lab.stack.stack import Session
from lab.terminal import commands
from lab.terminal.bench import Workbench
from workload.assumptions import Assumptions


def _workbench(
    session: Session, variables: Variables | None = None, assumptions: Assumptions | None = None
) -> Workbench:
    return Workbench(variables or Variables(), assumptions or Assumptions(), session)


def test_all_runs_the_reports_in_order(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Blank lines stand between them and before the sum; all pass, so the code is 0."""
    order = ["setup", "capacity", "naive", "partitioned", "failures", "out-of-order"]
    assert order == list(commands.REPORTS)
    monkeypatch.setattr(
        commands,
        "REPORTS",
        {"one": lambda _: ["ONE", "Proof: PASS"], "two": lambda _: ["FAILURE DRILL"]},
    )

    assert 0 == commands.run_terminal("all", _workbench(session))
    assert "ONE\nProof: PASS\n\nFAILURE DRILL\n\n1 of 1 checks PASS\n" == capsys.readouterr().out


def test_a_failed_line_sets_the_exit_code(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A FAIL in the first report is kept although the second one passes."""
    reports = {"one": lambda _: ["Proof: FAIL - why"], "two": lambda _: ["Proof: PASS"]}
    monkeypatch.setattr(commands, "REPORTS", reports)

    assert 1 == commands.run_terminal("all", _workbench(session))
    assert "Proof: FAIL - why\n\nProof: PASS\n\n1 of 2 checks PASS\n" == capsys.readouterr().out
    assert 0 == commands.run_terminal("two", _workbench(session))
    assert "Proof: PASS\n" == capsys.readouterr().out


def test_what_it_does_not_do_is_told_at_once(session: Session) -> None:
    """A foreign service and a second season are refused together, by name."""
    variables = Variables(target="https://leaderboard.example", allow_writes=True)
    workbench = _workbench(session, variables, Assumptions(active_seasons=("s1", "s2")))

    with pytest.raises(UsageError) as caught:
        commands.run_terminal("all", workbench)

    named = [problem.partition(":")[0] for problem in caught.value.problems]
    assert ["TARGET=https", "active_seasons=s1,s2"] == named


def test_the_compose_stack_is_refused(session: Session) -> None:
    """The lab's stack is its own, whatever is up in Docker."""
    with pytest.raises(UsageError, match="STACK=compose"):
        commands.run_terminal("naive", _workbench(session, Variables(stack="compose")))


@pytest.mark.parametrize("command", ["all", "failures", "out-of-order"])
def test_a_drill_without_a_ledger_is_refused(session: Session, command: str) -> None:
    """What is accepted while Redis is down has nowhere to go."""
    with pytest.raises(UsageError, match="LEDGER=none: failures and out-of-order"):
        commands.run_terminal(command, _workbench(session, Variables(ledger="none")))


def test_a_ledger_of_the_user_is_refused(session: Session) -> None:
    """The lab's ledger goes with the lab."""
    variables = Variables(ledger_path=Path("precious.db"))

    with pytest.raises(UsageError, match=r"LEDGER_PATH=precious\.db"):
        commands.run_terminal("naive", _workbench(session, variables))


def test_a_drill_leaves_the_users_redis_alone(session: Session) -> None:
    """It runs on twelve boards with a ledger, and on a server of the lab's own."""
    variables = Variables(redis_url="redis://127.0.0.1:1/5", ledger_sync="normal")
    drilled = _workbench(session, variables).drilled

    assert ("partitioned", "sqlite", "normal", None) == (
        drilled.mode,
        drilled.ledger,
        drilled.ledger_sync,
        drilled.redis_url,
    )


def test_an_unknown_command_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, with the commands there are."""
    monkeypatch.setattr(sys, "argv", ["lab", "nonsense"])

    with pytest.raises(SystemExit) as caught:
        program.main()

    assert 2 == caught.value.code
    assert "partitioned" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("all", "make lab SERVICE_PORT=8100"),
        ("capacity", "make capacity SERVICE_PORT=8100"),
        ("naive", "SERVICE_PORT=8100 python -m lab naive"),
        ("out-of-order", "SERVICE_PORT=8100 python -m lab out-of-order"),
    ],
)
def test_the_command_in_use_is_one_that_exists(
    monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    """Who finds the checkout in use reads a command to repeat."""
    monkeypatch.setenv("SERVICE_PORT", "8100")

    assert words == Variables().repeating(command)


def test_a_scenario_that_is_called_otherwise_than_its_file_is_refused(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy that kept its name would leave runs that pass for those of the original."""
    monkeypatch.setattr(program, "HERE", session.checkout)
    monkeypatch.setattr(sys, "argv", ["lab", "capacity"])
    monkeypatch.setenv("SCENARIO", "mine")
    path = session.checkout.scenarios / "mine.toml"
    path.parent.mkdir(parents=True)
    path.write_text('name = "peak"\ndescription = "Mine."\n')

    assert program.main() == 2
    assert f'{path}: the name must be that of the file: write name = "mine".\n' == (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("command", ["sweep", "calibrate", "serve", "compare"])
def test_a_drill_is_no_part_of_another_command(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not ignored, and gives no leave to write to a target either."""
    monkeypatch.setattr(sys, "argv", ["lab", command])
    monkeypatch.setenv("DRILL", "redis-kill")
    monkeypatch.setenv("TARGET", "http://127.0.0.1:1")

    assert program.main() == 2
    assert "DRILL=redis-kill belongs to `make drill`" in capsys.readouterr().err
