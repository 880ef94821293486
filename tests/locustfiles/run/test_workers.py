import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from locust_runs import (
    LocustRun,
    Stub,
    side_by_side,
    start_locust,
    start_worker,
    unequal,
    until,
)

# A worker that is started in such a run is there before it ends, however busy the machine.
LATE_SECONDS = 16


class Stage:
    """The scenes: each starts a master with workers, and does something to one of them."""

    def __init__(self, make_stub: Callable[..., Stub], folder: Path) -> None:
        self.stubs: dict[str, Stub] = {}
        self._make_stub = make_stub
        self._folder = folder

    def lost_worker(self) -> LocustRun:
        """Kill a worker."""
        run = self._loaded("lost_worker")
        run.workers[0].kill()
        return run

    def stopped_worker(self) -> LocustRun:
        """Stop a worker."""
        run = self._loaded("stopped_worker")
        run.workers[0].send_signal(signal.SIGTERM)
        return run

    def stopped_master(self) -> LocustRun:
        """Stop the master."""
        run = self._loaded("stopped_master")
        run.main.send_signal(signal.SIGTERM)
        return run

    def stopped_all(self) -> LocustRun:
        """Press Ctrl-C in a terminal that all processes belong to."""
        run = self._loaded("stopped_all")
        for process in (*run.workers, run.main):
            process.send_signal(signal.SIGINT)
        return run

    def lost_master(self) -> LocustRun:
        """Kill the master."""
        run = self._loaded("lost_master")
        run.main.kill()
        return run

    def late_worker(self) -> LocustRun:
        """Let another worker come during the run."""
        run = self._loaded("late_worker", "--duration", str(LATE_SECONDS), workers=1)
        if run.port is not None:
            log = str(self._folder / "late")
            run.workers.append(start_worker(run.port, log))
        return run

    def lost_while_loading(self) -> LocustRun:
        """Kill the only worker while the master loads the players."""
        stub = self.stubs["lost_while_loading"] = self._make_stub("slow-load")
        where = self._folder / "lost_while_loading"
        run = start_locust(stub.url, where, "--scale", "0.0002", workers=1)
        until(lambda: stub.seen()["events"], "the loading has begun")
        run.workers[0].kill()
        return run

    def play(self, scene: Callable[[], LocustRun]) -> LocustRun:
        """Play a scene to its end."""
        run = scene()
        run.wait()
        return run

    def _loaded(self, name: str, *options: str, workers: int = 2) -> LocustRun:
        """A run that every worker has sent something for."""
        stub = self.stubs[name] = self._make_stub()
        where = self._folder / name
        small = ("--scale", "0.0002", "--warmup", "0")
        run = start_locust(stub.url, where, *small, *options, workers=workers)
        until(lambda: stub.hits() > 80, "the load has begun")
        return run


@pytest.fixture(scope="module")
def stage(make_stub: Callable[..., Stub], tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The stage with its services."""
    return Stage(make_stub, tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def runs(stage: Stage) -> dict[str, LocustRun]:
    """One run for each thing that can happen to a worker or to the master."""
    scenes: dict[str, Callable[[], LocustRun]] = {
        "late_worker": stage.late_worker,
        "lost_master": stage.lost_master,
        "lost_worker": stage.lost_worker,
        "stopped_worker": stage.stopped_worker,
        "stopped_master": stage.stopped_master,
        "stopped_all": stage.stopped_all,
        "lost_while_loading": stage.lost_while_loading,
    }
    return side_by_side({name: partial(stage.play, scene) for name, scene in scenes.items()})


def test_a_lost_worker_ends_the_run(runs: dict[str, LocustRun]) -> None:
    """The others drain and report; the players of the lost slice are uncertain."""
    run = runs["lost_worker"]
    measured = run.measurements
    lost = [one["slice"] for one in measured["generators"] if not one["reported"]]
    unknown = {
        int(row["player"][-5:]) % 2 for row in run.rows("final_scores.csv") if row["unknown"] == "1"
    }

    assert 3 == run.main.returncode, run.output
    assert "worker-lost" == measured["ended"]
    assert 1 == len(lost)
    assert f"slice {lost[0]}" in measured["end_reason"]
    assert set(lost) == unknown
    assert 0 == run.workers[1].returncode


def test_a_run_that_lost_every_worker_before_its_load_says_so(runs: dict[str, LocustRun]) -> None:
    """Locust stops its test then, and the reason is the worker, not Locust."""
    run = runs["lost_while_loading"]
    measured = run.measurements

    assert 3 == run.main.returncode, run.output
    assert "worker-lost" == measured["ended"]
    assert "Every worker was lost before the load began." == measured["end_reason"]
    assert 0 == measured["operations"]["submit"]["all"]["offered"]


def test_a_worker_that_is_stopped_says_why(runs: dict[str, LocustRun]) -> None:
    """Its numbers are whole, but the measurement is not."""
    run = runs["stopped_worker"]

    assert 3 == run.workers[0].returncode
    assert 0 == run.workers[1].returncode
    assert "ended early: stopped by SIGTERM" in run.measurements["end_reason"]


@pytest.mark.parametrize("name", ["stopped_worker", "stopped_master", "stopped_all"])
def test_after_any_stop_the_final_counts_arrive(
    runs: dict[str, LocustRun], stage: Stage, name: str
) -> None:
    """All workers drain and report, and the service answered as much as they say."""
    run, stub = runs[name], stage.stubs[name]
    measured = run.measurements

    assert 3 == run.main.returncode, run.output
    assert "interrupted" == measured["ended"]
    assert [True, True] == [one["reported"] for one in measured["generators"]]
    assert [] == unequal(measured)
    assert stub.hits() == sum(one["all"]["ok"] for one in measured["operations"].values())


def test_workers_end_when_their_master_is_gone(runs: dict[str, LocustRun]) -> None:
    """A killed master leaves workers that stop the load and end by themselves."""
    run = runs["lost_master"]

    assert [3, 3] == [worker.returncode for worker in run.workers]
    assert "unfinished" == run.measurements["ended"]


def test_a_worker_that_comes_late_gets_nothing(runs: dict[str, LocustRun]) -> None:
    """The run goes on with the workers it began with."""
    run = runs["late_worker"]

    assert 0 == run.main.returncode, run.output
    assert LATE_SECONDS * 48 == run.measurements["operations"]["submit"]["ok"]
    assert 1 == len(run.measurements["generators"])
