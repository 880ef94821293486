from collections.abc import Callable
from functools import partial

import pytest
from locust_runs import OPERATIONS, LocustRun, Stub, side_by_side, start_locust, unequal

# Who waits gives up before a connection that waited in vain is free again.
IMPATIENT = ("--set", "request_timeout_seconds=3", "--set", "deadline_seconds=1")
SHORT = ("--duration", "1", "--warmup", "0", "--request-log")
KINDS = {
    "silent": "timeout",
    "reset": "reset",
    "error": "http_5xx",
    "refuse": "http_4xx",
    "nonsense": "bad_body",
}


@pytest.fixture(scope="module")
def runs(
    make_stub: Callable[..., Stub], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, LocustRun]:
    """One run for every way in which a service can be bad."""
    folder = tmp_path_factory.mktemp("runs")

    def load(name: str, behaviour: str, *options: str) -> LocustRun:
        # Only who gets no answer needs to be impatient; on a busy machine others would be, too.
        patience = IMPATIENT if behaviour == "silent" else ()
        run = start_locust(make_stub(behaviour).url, folder / name, *SHORT, *patience, *options)
        run.wait()
        return run

    scenes: dict[str, Callable[[], LocustRun]] = {
        behaviour: partial(load, behaviour, behaviour) for behaviour in KINDS
    }
    scenes["narrow"] = partial(load, "narrow", "silent", "--set", "connections=2")
    scenes["leaving"] = partial(load, "leaving", "leaves")
    scenes["idle"] = partial(load, "idle", "well", "--set", "update_fraction_per_second=0")
    scenes["unloadable"] = partial(load, "unloadable", "no-load")
    return side_by_side(scenes)


@pytest.mark.parametrize(("behaviour", "kind"), KINDS.items())
def test_every_way_to_fail_is_counted_by_its_kind(
    runs: dict[str, LocustRun], behaviour: str, kind: str
) -> None:
    """A service that fails throughout leaves a complete measurement of nothing but failures."""
    run = runs[behaviour]
    measured = run.measurements

    assert 0 == run.main.returncode, run.output
    assert "completed" == measured["ended"]
    assert [] == unequal(measured)
    for name in OPERATIONS:
        one = measured["operations"][name]
        failures = {found["kind"]: found["count"] for found in one["failures"]}

        assert {kind: one["failed"]} == failures
        assert 0 == one["ok"] < one["failed"]
        assert one["all"]["unknown"] == one["failed"]


def test_what_no_connection_was_free_for_is_dropped(runs: dict[str, LocustRun]) -> None:
    """A service that answers nothing gets as many requests as there are connections."""
    submit = runs["narrow"].measurements["operations"]["submit"]

    assert 240 == submit["offered"] == submit["sent"] + submit["dropped"]
    assert 2 == submit["sent"]


def test_a_service_that_goes_away_refuses_and_leaves_little_unknown(
    runs: dict[str, LocustRun],
) -> None:
    """Requests that no connection takes fail as refused; their outcome is known."""
    run = runs["leaving"]
    measured = run.measurements
    submit = measured["operations"]["submit"]
    failures = {found["kind"]: found["count"] for found in submit["failures"]}

    assert 0 == run.main.returncode, run.output
    assert "completed" == measured["ended"]
    assert [] == unequal(measured)
    assert failures["refused"] > failures.get("reset", 0)
    assert submit["all"]["unknown"] <= failures.get("reset", 0)
    assert measured["keys"]["reason"] is not None


def test_players_with_an_unknown_outcome_are_marked(runs: dict[str, LocustRun]) -> None:
    """The audit leaves out players whose write may or may not have been applied."""
    run = runs["reset"]
    written = {
        f"player-{int(row['player']):05d}"
        for row in run.rows("requests-0.csv")
        if row["operation"] == "submit"
    }
    unknown = {row["player"] for row in run.rows("final_scores.csv") if row["unknown"] == "1"}

    assert written == unknown


def test_an_operation_without_arrivals_sends_nothing(runs: dict[str, LocustRun]) -> None:
    """A rate of 0 is a schedule without arrivals, and the record says so."""
    run = runs["idle"]
    operations = run.measurements["operations"]

    assert 0 == run.main.returncode, run.output
    assert (0, 25) == (operations["submit"]["offered"], operations["top"]["offered"])
    assert ["The model sends no submit requests."] == run.facts["warnings"]


def test_a_service_that_takes_no_players_ends_the_run(runs: dict[str, LocustRun]) -> None:
    """Nothing is measured over a board that is not loaded; the batch is not sent again."""
    run = runs["unloadable"]
    measured = run.measurements

    assert 3 == run.main.returncode, run.output
    assert "failed-to-load" == measured["ended"]
    assert "503" in measured["end_reason"]
    assert (1, 0, 1000) == tuple(measured["loading"][name] for name in ("batches", "ok", "unknown"))
    assert 0 == measured["operations"]["submit"]["all"]["offered"]
