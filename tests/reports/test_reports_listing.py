"""The list of runs: newest first, broken ones named."""

from pathlib import Path

import pytest
from judged_runs import changed
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.terminal import runs_text


def test_runs_are_listed_newest_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each run; what has no verdict says so, what is broken is named and not fatal."""
    older = make_run(tmp_path, Plan(duration_seconds=4, mode="naive", stamp="20260906T110000Z"))
    main(["tables", str(changed(older, "run.json", lambda facts: facts.update(stack="compose")))])
    make_run(tmp_path, Plan(duration_seconds=4, stamp="20260906T120000Z"))
    (tmp_path / "20260906T130000Z-peak-naive").mkdir()
    (tmp_path / "20260906T140000Z-peak-naive").mkdir()
    (tmp_path / "20260906T140000Z-peak-naive" / "run.json").write_text('{"run_id"')
    (tmp_path / "notes").mkdir()
    capsys.readouterr()

    assert main(["--runs-dir", str(tmp_path), "runs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [
        "20260906T140000Z-peak-naive        broken",
        "20260906T130000Z-peak-naive        broken",
        "20260906T120000Z-peak-partitioned  not judged",
        "20260906T110000Z-peak-naive        pass",
    ] == [line[:45].rstrip() for line in lines[1:5]]
    assert lines[4].split()[2:7] == ["compose", "none", "1/1000", "4", "s"]
    assert lines[4].split()[7:9] == ["100", "%"]
    assert "LEDGER" in lines[0]
    assert "run.json cannot be used: Input data was truncated" in lines[8]
    assert "has no run.json" in lines[9]


def test_no_runs_are_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty directory says how to make a run."""
    assert main(["--runs-dir", str(tmp_path), "runs"]) == 0
    assert "There is no run in" in capsys.readouterr().out


def test_a_folder_that_cannot_be_listed_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Such as one whose name is too long."""
    assert main(["--runs-dir", "x" * 5_000, "runs"]) == 2
    assert "x cannot be listed: File name too long." in capsys.readouterr().err


def test_a_strange_run_json_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A verdict or a table of a strange shape is left out, and the line is still there."""
    run = make_run(tmp_path, Plan(duration_seconds=4))
    content = (run / "run.json").read_text()
    content = content.replace('"skew": null', '"skew": 3').replace(
        '"verdict": null', '"verdict": []'
    )
    (run / "run.json").write_text(content)
    (run / "operations.csv").write_text("operation,p99_ms\nall,much\n")

    assert main(["--runs-dir", str(tmp_path), "runs"]) == 0
    assert "not judged" in capsys.readouterr().out


def test_a_narrow_terminal_gets_fewer_columns(tmp_path: Path) -> None:
    """What matters least goes first; verdict, stack, ledger, share and p99 stay."""
    make_run(tmp_path, Plan(duration_seconds=4, stamp="20260906T120000Z"))

    def table(columns: int | None) -> tuple[list[str], int]:
        """The columns after the first two, and how wide the table is."""
        lines = runs_text(tmp_path, columns).splitlines()[:2]
        return lines[0].split()[2:], max(map(len, lines))

    all_of_them, width = table(None)
    some, narrower = table(width - 1)
    least, _ = table(10)

    assert ["stack", "LEDGER", "scale", "measured", "hottest", "p99", "ms"] == all_of_them
    assert ["stack", "LEDGER", "scale", "hottest", "p99", "ms"] == some
    assert ["stack", "LEDGER", "hottest", "p99", "ms"] == least
    assert narrower < width
