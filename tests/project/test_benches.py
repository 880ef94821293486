"""`make bench` runs all benches there are, and says on what."""

import re
from pathlib import Path

import pytest
from run_benches import header, run_benches


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


def test_the_header_names_the_machine_and_versions() -> None:
    """Ratios of another machine may be others, and no figure is called a capacity."""
    first, host, versions, revision = header()

    assert "no figure here is a capacity" in first
    assert re.fullmatch(r"Host: .+, \d+ cores, [\d.]+ GiB, .+; load [\d., ]+", host)
    assert re.search(r"Python 3\.\d+\.\d+, SQLite 3\.[\d.]+, redis ", versions)
    assert revision.startswith("Revision: ")
