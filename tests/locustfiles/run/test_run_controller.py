from collections.abc import Callable
from functools import partial

import pytest
from locust_runs import OPERATIONS, LocustRun, Stub, side_by_side, start_locust, unequal

RATES = {"submit": 240, "top": 25, "around": 75}
SCHEDULE_COLUMNS = ("operation", "number", "intended_us", "player", "score")
OPTIONS = ("--duration", "3", "--warmup", "1", "--request-log", "--command", "make it")


@pytest.fixture(scope="module")
def stub(make_stub: Callable[[], Stub]) -> Stub:
    """The service that the run of one process loads."""
    return make_stub()


@pytest.fixture(scope="module")
def runs(
    stub: Stub, make_stub: Callable[[], Stub], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, LocustRun]:
    """The same run in one process, with two workers and with three."""
    folder = tmp_path_factory.mktemp("runs")

    def whole_run(workers: int) -> LocustRun:
        url = make_stub().url if workers else stub.url
        run = start_locust(url, folder / f"run-{workers}", *OPTIONS, workers=workers)
        run.wait()
        return run

    return side_by_side({str(workers): partial(whole_run, workers) for workers in (0, 2, 3)})


@pytest.fixture(scope="module")
def run(runs: dict[str, LocustRun]) -> LocustRun:
    """The run of one process."""
    return runs["0"]


def requests_of(run: LocustRun) -> list[tuple[str, ...]]:
    """What a run's request logs say was scheduled, in one order."""
    rows = [row for log in run.directory.glob("requests-*.csv") for row in run.rows(log.name)]
    return sorted(tuple(row[name] for name in SCHEDULE_COLUMNS) for row in rows)


def test_one_two_and_three_workers_offer_the_same_schedule(runs: dict[str, LocustRun]) -> None:
    """However many workers share it, every request is due at the same time for the same player."""
    schedules = [requests_of(run) for run in runs.values()]

    assert [0, 0, 0] == [run.main.returncode for run in runs.values()]
    assert 340 * 4 == len(schedules[0])
    assert schedules[0] == schedules[1]
    assert schedules[0] == schedules[2]


@pytest.mark.parametrize(("workers", "slices"), [("0", 1), ("2", 2), ("3", 3)])
def test_every_worker_reports_its_slice(
    runs: dict[str, LocustRun], workers: str, slices: int
) -> None:
    """Each worker sends its own players' requests, ends well, and nothing is left over."""
    run = runs[workers]
    players = [
        {int(row["player"]) % slices for row in run.rows(f"requests-{number}.csv") if row["player"]}
        for number in range(slices)
    ]
    reported = [(one["slice"], one["reported"]) for one in run.measurements["generators"]]

    assert [{number} for number in range(slices)] == players
    assert [(number, True) for number in range(slices)] == reported
    assert {0} >= {worker.returncode for worker in run.workers}
    assert [] == unequal(run.measurements)


def test_a_run_offers_the_model_and_counts_every_answer(run: LocustRun) -> None:
    """Each operation offers its rate every second, and each request has one outcome."""
    measured = run.measurements

    assert ("completed", None) == (measured["ended"], measured["end_reason"])
    for name in OPERATIONS:
        one = measured["operations"][name]
        offered = {row["second"]: row["offered"] for row in one["seconds"] if row["offered"]}

        assert dict.fromkeys(range(3), RATES[name]) == offered
        assert 3 * RATES[name] == one["offered"] == one["ok"] == one["completed"]
        assert 4 * RATES[name] == one["all"]["offered"] == one["all"]["ok"]
        assert 0 == one["failed"] == one["dropped"] == one["all"]["unknown"]
        assert one["ok"] == sum(sum(row["response_us"].values()) for row in one["seconds"])
    assert {"applied": 960} == measured["operations"]["submit"]["all"]["statuses"]


def test_event_ids_differ_and_a_players_sequences_grow(stub: Stub, run: LocustRun) -> None:
    """Event ids name the run and never repeat; a later write has the greater sequence."""
    seen = stub.seen()

    assert 12_000 + 960 == len(set(seen["events"])) == len(seen["events"])
    assert all(event.startswith(f"{run.directory.name}-") for event in seen["events"])
    assert all(sorted(set(found)) == found for found in seen["sequences"].values())


def test_the_last_accepted_scores_are_left_for_the_audit(run: LocustRun) -> None:
    """Each loaded player has a row with the score of its last accepted write."""
    rows = {row["player"]: row for row in run.rows("final_scores.csv")}
    written = {
        f"player-{int(row['player']):05d}": row["score"]
        for row in sorted(run.rows("requests-0.csv"), key=lambda row: int(row["intended_us"]))
        if row["operation"] == "submit"
    }

    assert 12_000 == len(rows)
    assert written == {player: rows[player]["score"] for player in written}
    assert {"lb:global:all:s1"} == {row["board"] for row in rows.values()}
    assert {"0"} == {row["unknown"] for row in rows.values()}


def test_the_record_says_what_ran_where(stub: Stub, run: LocustRun) -> None:
    """run.json holds the inputs, the derived rates, and the service's own words."""
    facts = run.facts
    shares = facts["model"]["partition_shares"]
    submit = {"model_per_second": 240_000, "per_second": 240, "seconds": 3}

    assert ("run-0", "peak", "naive") == (facts["run_id"], facts["scenario"], facts["mode"])
    assert (0.001, 12_000, 3, 1) == (
        facts["scale"], facts["players"], facts["duration_seconds"], facts["warmup_seconds"],
    )  # fmt: skip
    assert submit == facts["model"]["operations"]["submit"]
    assert 12 == len(shares)
    assert abs(sum(shares.values()) - 1) < 1e-9
    assert ("make it", stub.url, 1) == (facts["command"], facts["target"], facts["workers"])
    assert facts["started_at"] < facts["measured_from"] < facts["measured_to"] < facts["ended_at"]
    assert "lb:global:all:s1" == facts["service"]["boards"]["lb:eu:duo:s1"]
    assert "hostname" not in facts["host"]


def test_the_keys_hits_of_the_measured_phase_are_read(run: LocustRun) -> None:
    """The service's counters are read at both ends and at the seconds between."""
    keys = run.measurements["keys"]
    start, end = (keys[name]["keys"]["lb:global:all:s1"] for name in ("start", "end"))
    by_second = sum(row["hits"]["lb:global:all:s1"]["write"] for row in keys["seconds"])

    assert keys["reason"] is None
    assert {0, 1, 2} >= {row["second"] for row in keys["seconds"]}
    assert end["write"]["hits"] - start["write"]["hits"] == by_second
    assert end["write"]["members_written"] > start["write"]["members_written"]
    assert 0 <= keys["start"]["at_second"] < keys["end"]["at_second"]


def test_the_generators_cpu_is_reported(runs: dict[str, LocustRun]) -> None:
    """Each process says how much of a core it used in the measured phase."""
    ratios = [one["cpu_ratio"] for one in runs["2"].measurements["generators"]]

    assert 2 == len(ratios)
    assert all(0 < ratio < 1 for ratio in ratios)
