"""Exporting: every CSV file, and never over another run's."""

from pathlib import Path

import pytest
from made_plan import Plan
from made_runs import make_run

from reports.cli import main


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A directory of runs: an older passed and a newer failed one."""
    runs = tmp_path / "runs"
    make_run(runs, Plan(duration_seconds=4, mode="naive", stamp="20260906T110000Z"))
    make_run(runs, Plan(duration_seconds=4, failing=(1, 2), stamp="20260906T120000Z"))
    return runs


def test_export_copies_the_csv_files(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every CSV file arrives as it is, beside the run.json that says whose they are."""
    run = runs / "20260906T120000Z-peak-partitioned"
    main(["tables", str(run)])
    out = tmp_path / "a" / "b"

    assert main(["--runs-dir", str(runs), "export", "latest", str(out)]) == 0
    assert f"copied 6 files to {out}" in capsys.readouterr().out
    assert (run / "operations.csv").read_bytes() == (out / "operations.csv").read_bytes()
    assert sorted(path.name for path in out.iterdir()) == [
        "failures.csv",
        "key_timeline.csv",
        "keys.csv",
        "operations.csv",
        "run.json",
        "timeline.csv",
    ]


def test_export_replaces_only_its_own_files(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same run may be exported again; another run, or files of nobody, are kept."""
    for run in runs.iterdir():
        main(["tables", str(run)])
    naive, partitioned = sorted(str(run) for run in runs.iterdir())
    out = tmp_path / "out"
    main(["export", naive, str(out)])
    before = (out / "keys.csv").read_bytes()

    assert main(["export", naive, str(out)]) == 0
    assert main(["export", partitioned, str(out)]) == 2
    assert "of the run 20260906T110000Z-peak-naive; name an empty directory" in (
        capsys.readouterr().err
    )
    assert before == (out / "keys.csv").read_bytes()
    (out / "run.json").unlink()
    assert main(["export", naive, str(out)]) == 2


def test_export_refuses_what_cannot_be(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No tables yet, a file in the way, the run itself and no folder are each a sentence."""
    run = runs / "20260906T110000Z-peak-naive"
    assert main(["export", str(run), str(tmp_path / "out")]) == 2
    main(["tables", str(run)])
    (tmp_path / "file").write_text("kept")
    assert main(["export", str(run), str(tmp_path / "file")]) == 2
    assert main(["export", str(run), str(run)]) == 2
    assert main(["export", str(run), ""]) == 2

    message = capsys.readouterr().err
    assert "has no tables yet" in message
    assert "is a file; name a directory" in message
    assert "is the run itself" in message
