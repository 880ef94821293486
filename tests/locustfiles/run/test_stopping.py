import json
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from free_ports import free_port
from locust_runs import (
    LocustRun,
    Stub,
    side_by_side,
    start_locust,
    unequal,
    until,
    with_page,
)

SIGNALS = (signal.SIGTERM, signal.SIGINT)
Scene = Callable[[signal.Signals], LocustRun]


class Stage:
    """The scenes: each starts a run, waits for its phase, and stops it with a signal."""

    def __init__(self, make_stub: Callable[..., Stub], folder: Path, *, has_page: bool) -> None:
        self._has_page = has_page
        self.stubs: dict[str, Stub] = {}
        self._make_stub = make_stub
        self._folder = folder

    def loading(self, number: signal.Signals) -> LocustRun:
        """Stop while the players are loaded."""
        stub, run = self._start(f"loading-{number.name}", "slow-load")
        until(lambda: stub.seen()["events"], "the loading has begun")
        return self._stop(run, number)

    def warm_up(self, number: signal.Signals) -> LocustRun:
        """Stop in the warm-up."""
        stub, run = self._start(f"warm_up-{number.name}", "well", "--warmup", "60")
        until(stub.hits, "the load has begun")
        return self._stop(run, number)

    def measured(self, number: signal.Signals) -> LocustRun:
        """Stop in the measured phase."""
        stub, run = self._start(f"measured-{number.name}", "well", "--warmup", "0")
        until(stub.hits, "the load has begun")
        return self._stop(run, number)

    def drain(self, number: signal.Signals) -> LocustRun:
        """Stop while the last answers are waited for."""
        patience = ("--set", "request_timeout_seconds=5")
        _, run = self._start(
            f"drain-{number.name}", "falls-silent", "--warmup", "0", "--duration", "2", *patience
        )
        until(lambda: is_over(run), "the measured phase is over")
        return self._stop(run, number)

    def waiting(self, number: signal.Signals) -> LocustRun:
        """Stop a master that still waits for its worker."""
        options = ("--loglevel", "INFO")
        _, run = self._start(f"waiting-{number.name}", "well", *options, workers=1, missing=1)
        until(lambda: "Waiting for workers" in run.output, "the master waits")
        return self._stop(run, number)

    def _start(
        self, name: str, behaviour: str, *options: str, workers: int = 0, missing: int = 0
    ) -> tuple[Stub, LocustRun]:
        stub = self.stubs[name] = self._make_stub(behaviour)
        where = self._folder / name
        page = with_page(free_port()) if self._has_page else ("--headless",)
        few = ("--scale", "0.0002")
        run = start_locust(
            stub.url, where, *few, *options, workers=workers, missing=missing, page=page
        )
        return stub, run

    def _stop(self, run: LocustRun, number: signal.Signals) -> LocustRun:
        run.main.send_signal(number)
        run.wait()
        return run


def is_over(run: LocustRun) -> bool:
    """Whether the measured phase has ended, by the record of the run."""
    if not (run.directory / "run.json").exists() or not run.facts["measured_to"]:
        return False
    return datetime.fromisoformat(run.facts["measured_to"]) < datetime.now(UTC)


@pytest.fixture(scope="module", params=[False, True], ids=["headless", "with Locust's page"])
def stage(
    request: pytest.FixtureRequest,
    make_stub: Callable[..., Stub],
    tmp_path_factory: pytest.TempPathFactory,
) -> Stage:
    """The stage with its services."""
    return Stage(make_stub, tmp_path_factory.mktemp("runs"), has_page=request.param)


@pytest.fixture(scope="module")
def runs(stage: Stage) -> dict[str, LocustRun]:
    """One stopped run for every phase and signal."""
    scenes = (stage.loading, stage.warm_up, stage.measured, stage.drain, stage.waiting)
    return side_by_side(
        {
            f"{scene.__name__}-{number.name}": partial(scene, number)
            for scene, number in product(scenes, SIGNALS)
        }
    )


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("phase", ["loading", "warm_up", "measured", "drain"])
def test_a_stopped_run_leaves_its_files(
    runs: dict[str, LocustRun], phase: str, number: signal.Signals
) -> None:
    """In every phase either signal ends in code 3, files that add up, and the reason."""
    run = runs[f"{phase}-{number.name}"]
    measured = run.measurements

    assert 3 == run.main.returncode, run.output
    assert "interrupted" == measured["ended"]
    assert number.name in measured["end_reason"]
    assert run.facts["ended_at"] is not None
    assert (run.directory / "final_scores.csv").is_file()
    assert [] == unequal(measured)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_stop_while_loading_finishes_the_batch(
    runs: dict[str, LocustRun], stage: Stage, number: signal.Signals
) -> None:
    """The batch on its way is finished, no other is sent, and nothing was offered."""
    run, stub = runs[f"loading-{number.name}"], stage.stubs[f"loading-{number.name}"]
    loading = run.measurements["loading"]

    assert loading["ok"] == loading["events"] == len(stub.seen()["events"]) < 2_400
    assert loading["ok"] == len(run.rows("final_scores.csv"))
    assert 0 == run.measurements["operations"]["submit"]["all"]["offered"]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("phase", ["warm_up", "measured"])
def test_a_stop_under_load_counts_what_was_answered(
    runs: dict[str, LocustRun], stage: Stage, phase: str, number: signal.Signals
) -> None:
    """What was offered so far is drained; the warm-up is no part of the measured numbers."""
    run, stub = runs[f"{phase}-{number.name}"], stage.stubs[f"{phase}-{number.name}"]
    operations = run.measurements["operations"].values()

    assert stub.hits() == sum(one["all"]["ok"] for one in operations)
    assert (phase == "measured") == bool(sum(one["offered"] for one in operations))


@pytest.mark.parametrize("number", SIGNALS)
def test_a_stop_during_the_drain_counts_what_is_owed_as_timeouts(
    runs: dict[str, LocustRun], number: signal.Signals
) -> None:
    """The measured phase was offered whole, and no request is left without an outcome."""
    submit = runs[f"drain-{number.name}"].measurements["operations"]["submit"]

    assert 96 == submit["offered"]
    assert ["timeout"] == [found["kind"] for found in submit["failures"]]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_stop_before_the_workers_came_leaves_nothing(
    runs: dict[str, LocustRun], number: signal.Signals
) -> None:
    """A master that still waits for workers ends at once, without a run directory."""
    run = runs[f"waiting-{number.name}"]

    assert 3 == run.main.returncode
    assert not run.directory.exists()


def test_a_killed_run_leaves_a_checkpoint_that_says_so(
    make_stub: Callable[..., Stub], tmp_path: Path
) -> None:
    """Nothing can be written any more, but what is there is whole and calls itself unfinished."""
    stub = make_stub()
    run = start_locust(stub.url, tmp_path / "run", "--warmup", "0", "--scale", "0.0002")
    checkpoint = tmp_path / "run" / "measurements.json"
    until(
        lambda: stub.hits() and json.loads(checkpoint.read_text())["operations"]["top"]["offered"],
        "a checkpoint holds requests",
    )
    run.main.kill()
    run.wait()

    assert ("unfinished", None) == (run.measurements["ended"], run.facts["ended_at"])
    assert run.facts["measured_from"] is not None
