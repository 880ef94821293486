"""Missing, cut and broken files: a sentence each, never a traceback."""

import json
from pathlib import Path

import pytest
from made_plan import Plan
from made_runs import make_run

from reports.cli import main

SHORT = Plan(duration_seconds=4)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "has no run.json"),
        (b"", "run.json is empty"),
        (b'{"run_id": "x", ', "run.json cannot be used: Input data was truncated"),
        (b"[]", "run.json cannot be used: Expected `object`"),
        (b"\xff\xfe", "run.json cannot be used"),
        (b'{"run_id": "x"}', "missing required field `scenario`"),
        (b"[" * 100_000, "run.json cannot be used"),
    ],
    ids=["missing", "empty", "cut", "array", "bytes", "field", "deep"],
)
def test_an_unusable_run_json_is_a_sentence(
    content: bytes | None, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its run.json a run cannot be trusted, and the sentence says what is wrong."""
    run = make_run(tmp_path, SHORT)
    (run / "run.json").unlink()
    if content is not None:
        (run / "run.json").write_bytes(content)

    assert main(["tables", str(run)]) == 3
    assert problem in capsys.readouterr().err


def test_another_schema_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run of a later layout is not misread."""
    run = make_run(tmp_path, SHORT)
    content = json.loads((run / "run.json").read_text()) | {"schema_version": 2}
    (run / "run.json").write_text(json.dumps(content))

    assert main(["tables", str(run)]) == 3
    assert "run.json has schema_version 2, and this version reads 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("measurements.json", None, "measurements.json is missing: the run was cut off"),
        ("measurements.json", b"", "measurements.json is empty: it was cut off"),
        ("measurements.json", b'{"ended": "comp', "measurements.json cannot be used: Input data"),
        ("measurements.json", b'{"ended": "completed"}', "missing required field `operations`"),
        ("audit.json", b"{}", "audit.json cannot be used: Object missing required field"),
    ],
)
def test_other_broken_files_make_the_run_invalid(
    name: str,
    content: bytes | None,
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A missing or broken file is a reason in run.json, and every table is still written."""
    run = make_run(tmp_path, SHORT)
    (run / name).unlink()
    if content is not None:
        (run / name).write_bytes(content)

    assert main(["tables", str(run)]) == 3
    verdict = json.loads((run / "run.json").read_text())["verdict"]
    assert verdict["status"] == "invalid"
    assert reason in verdict["reasons"][0]
    assert reason in capsys.readouterr().out
    assert (run / "keys.csv").read_text().startswith("key,op,hits")


def test_a_negative_count_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A count below zero is no count, and the sentence says where it stands."""
    run = make_run(tmp_path, SHORT)
    content = json.loads((run / "measurements.json").read_text())
    content["operations"]["submit"]["failed"] = -1
    (run / "measurements.json").write_text(json.dumps(content))

    assert main(["tables", str(run)]) == 3
    assert "Expected `int` >= 0 - at `$.operations[...].failed`" in capsys.readouterr().out
