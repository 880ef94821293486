from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from locust_runs import LocustRun, Stub, side_by_side, start_locust

WRONG = ("--duration=0", "--set", "q=1", "--users=5", "--run-time=60", "ScoreWriter")
LONG = "a-run-with-a-name-of-fifty-three-letters-to-be-exact-"


@pytest.fixture(scope="module")
def runs(
    make_stub: Callable[..., Stub], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, LocustRun]:
    """Runs that cannot be made as they were asked for."""
    folder = tmp_path_factory.mktemp("runs")
    url = make_stub().url

    def ask(url: str, name: str, *options: str, workers: int = 0) -> LocustRun:
        run = start_locust(url, folder / name, *options, workers=workers, missing=workers)
        run.wait()
        return run

    return side_by_side(
        {
            "options": partial(ask, url, "options", *WRONG),
            "users": partial(ask, url, "users", "--users=3", workers=2),
            "model": partial(ask, url, "model", "--set", "regions=eu"),
            "target": partial(ask, "http://127.0.0.1:1", "target"),
            "name": partial(ask, url, LONG, "--duration=24h", "--scale=8"),
            "scale": partial(ask, url, "scale", "--scale=100"),
            "directory": partial(ask, url, "a name with spaces"),
        }
    )


def test_a_run_directory_that_cannot_be_written_is_named(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """A folder in the place of a file stands for a full disk: a sentence, and no traceback."""
    run_dir = tmp_path / "blocked"
    (run_dir / "measurements.json").mkdir(parents=True)
    run = start_locust(make_stub().url, run_dir)
    run.wait()

    assert 3 == run.main.returncode
    assert f"{run_dir} cannot be written" in run.output or f"written to {run_dir}" in run.output
    assert "Traceback" not in run.output


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("options", ("--duration must be", "'q'", "--run-time cannot",
                     "Naming user classes (ScoreWriter)")),
        ("users", ("--users 3 cannot be used", "2 x 3 = 6")),
        ("model", ("The service has the regions na-east, na-west, eu, apac; the model has eu",)),
        ("target", ("http://127.0.0.1:1/v1/boards does not answer (nothing listens there)",)),
        ("name", ("ids of up to 64 characters", "name a --run-dir with a shorter one")),
        ("scale", ("1,200,000,000 players, more than the 99,999,999 that a run can load",)),
        ("directory", ("--run-dir must end in a name",)),
    ],
)  # fmt: skip
def test_bad_input_ends_in_sentences(
    runs: dict[str, LocustRun], name: str, sentences: tuple[str, ...]
) -> None:
    """Exit code 2, everything wrong at once, no traceback and no run directory."""
    run = runs[name]

    assert 2 == run.main.returncode
    assert [True] * len(sentences) == [sentence in run.output for sentence in sentences], run.output
    assert len(sentences) >= len(run.output.splitlines())
    assert not run.directory.exists()
