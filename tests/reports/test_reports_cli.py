"""The command line: exit codes, RUN in its three forms, export, broken directories."""

import json
import shutil
from pathlib import Path

import pytest
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.rundir.finding import write_atomically

SHORT = Plan(duration_seconds=4)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A directory of runs: an older passed and a newer failed one."""
    runs = tmp_path / "runs"
    make_run(runs, Plan(duration_seconds=4, mode="naive", stamp="20260906T110000Z"))
    make_run(runs, Plan(duration_seconds=4, failing=(1, 2), stamp="20260906T120000Z"))
    return runs


@pytest.mark.parametrize(
    ("plan", "code", "status"),
    [
        (SHORT, 0, "pass"),
        (Plan(duration_seconds=4, failing=(1, 2)), 1, "fail"),
        (Plan(duration_seconds=4, ended="interrupted", cut_at=2), 3, "invalid"),
    ],
    ids=["pass", "fail", "invalid"],
)
def test_tables_exits_by_the_verdict(
    plan: Plan, code: int, status: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code, the printed verdict and run.json say the same."""
    run = make_run(tmp_path, plan)

    assert code == main(["tables", str(run)])
    assert f"verdict: {status}" in capsys.readouterr().out
    assert status == json.loads((run / "run.json").read_text())["verdict"]["status"]


def test_tables_leave_no_partial_file(tmp_path: Path) -> None:
    """Only whole files are in the directory, and run.json keeps what it held."""
    run = make_run(tmp_path, SHORT)
    before = json.loads((run / "run.json").read_text())
    main(["tables", str(run)])
    after = json.loads((run / "run.json").read_text())

    assert not list(run.glob(".*"))
    assert before == after | {"skew": None, "verdict": None}
    assert list(before) == list(after)


def test_latest_is_the_newest_that_has_a_record(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that was killed before its run.json was there does not hide the one before it."""
    (runs / "20260906T130000Z-peak-naive" / "logs").mkdir(parents=True)

    assert main(["--runs-dir", str(runs), "show", "latest"]) == 0
    assert capsys.readouterr().out.startswith("run 20260906T120000Z-peak-partitioned\n")
    assert main(["--runs-dir", str(runs), "show", "nothing"]) == 2
    assert "the newest there is 20260906T120000Z-peak-partitioned" in capsys.readouterr().err


@pytest.mark.parametrize("asked", ["latest", "20260906T120000Z-peak-partitioned"])
def test_show_takes_an_id_or_latest(
    asked: str, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run is found by its id, the newest by `latest`; nothing is written."""
    assert main(["--runs-dir", str(runs), "show", asked]) == 0
    assert "run 20260906T120000Z-peak-partitioned" in capsys.readouterr().out
    assert not list(runs.glob("*/operations.csv"))


def test_show_takes_a_path(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run is found by its path, wherever it lies."""
    assert main(["show", str(runs / "20260906T110000Z-peak-naive")]) == 0
    printed = capsys.readouterr().out

    assert "peak, naive · 1/1000 of the model · 4 s measured · seed 7" in printed
    assert "write  lb:global:all:s1  100 %      8.33 %            1.00        1" in printed


@pytest.mark.parametrize("asked", ["nothing-like-it", "", "../..//x", "x" * 300])
def test_an_unknown_run_is_a_sentence(
    asked: str, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is no run is named, with where runs are looked for."""
    assert main(["--runs-dir", str(runs), "show", asked]) == 2

    message = capsys.readouterr().err
    assert f"{asked!r} is neither a run directory nor the id of a run in {runs}" in message
    assert "20260906T120000Z-peak-partitioned" in message


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("export", "nowhere", ""), ("The export needs", "'nowhere' is neither")),
        (
            ("compare", "here", "--against", "there", "there", "--out", "x"),
            ("'here' is neither", "'there' is neither"),
        ),
    ],
)
def test_all_that_is_missing_is_told_at_once(
    words: tuple[str, ...],
    named: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each run once, and the folder."""
    assert main(["--runs-dir", str(tmp_path), *words]) == 2

    told = capsys.readouterr().err.splitlines()
    assert len(named) == len(told)
    assert all(line.startswith(start) for line, start in zip(told, named, strict=True))


def test_no_run_at_all_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`latest` without any run says how to make one."""
    assert main(["--runs-dir", str(tmp_path / "none"), "show", "latest"]) == 2
    assert "`make load-naive` makes one" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["draw"], ["tables"]])
def test_a_wrong_command_is_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A missing or unknown verb ends with usage and code 2."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert "usage: python -m reports" in capsys.readouterr().err


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """What cannot be replaced is kept, and nothing partial stays beside it."""
    target = tmp_path / "table.csv"
    target.mkdir()
    (target / "kept").write_text("x")

    with pytest.raises(Exception, match=r"table\.csv cannot be written"):
        write_atomically(target, "new")
    assert (target / "kept").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_directory_in_the_way_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table that cannot be written ends with a sentence and code 2, after the verdict."""
    run = make_run(tmp_path, SHORT)
    (run / "keys.csv").mkdir()

    assert main(["tables", str(run)]) == 2
    printed = capsys.readouterr()
    assert "keys.csv cannot be written" in printed.err
    assert "verdict: pass" in printed.out
    shutil.rmtree(run)
