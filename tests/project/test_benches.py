"""`make bench` runs all benches there are, and says on what."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from run_benches import TESTS, header, run_benches


def test_every_bench_is_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A bench that fails stops no other one, and sets the exit code."""
    for name, code in (("a", "sys.exit(3)"), ("b", "print('ratio 2')")):
        folder = tmp_path / "tests" / name
        folder.mkdir(parents=True)
        (folder / f"bench_{name}.py").write_text(f'"""How fast {name} is."""\nimport sys\n{code}\n')

    assert 1 == run_benches(tmp_path / "tests")
    assert [
        "tests/a/bench_a.py: How fast a is.",
        "bench_a.py failed with code 3.",
        "tests/b/bench_b.py: How fast b is.",
        "ratio 2",
    ] == [line for line in capfd.readouterr().out.splitlines() if line]


def test_every_bench_starts_by_hand() -> None:
    """Each bench and proof says how to be run, started from the root with its path alone."""
    programs = [*sorted(TESTS.rglob("bench_*.py")), TESTS / "target_service" / "odometer_proof.py"]
    with ThreadPoolExecutor(2) as starting:
        told = dict(zip(programs, starting.map(_help_of, programs), strict=True))
    missing = [
        path.name
        for path, text in told.items()
        if f".venv/bin/python {path.relative_to(TESTS.parent)}" not in text
    ]

    assert [] == missing, "\n".join(told[path] for path in programs if path.name in missing)


def _help_of(program: Path) -> str:
    """Return what a program prints for --help, or what it says instead."""
    done = subprocess.run(
        [sys.executable, str(program.relative_to(TESTS.parent)), "--help"],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode else done.stdout


def test_the_header_names_the_machine_and_versions() -> None:
    """Ratios of another machine may be others, and no figure is called a capacity."""
    first, host, versions, revision = header()

    assert "no figure here is a capacity" in first
    assert re.fullmatch(r"Host: .+, \d+ cores, [\d.]+ GiB, .+; load [\d., ]+", host)
    assert re.search(r"Python 3\.\d+\.\d+, SQLite 3\.[\d.]+, redis ", versions)
    assert revision.startswith("Revision: ")
