"""Sweeps and unlock frames of a whole service, with outages and deaths."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from achievements_client import STREAM, Achieving
from durable_service import Durable, durable_service, eventually
from leaderboard_client import Json
from problem_checks import check, invalid
from valkey_process import ValkeyProcess

WRITES = ("xadd", "zadd", "hset", "unlink", "set", "del")


@pytest.fixture
def shaky(shaky_durable: Durable) -> Achieving:
    """A service of this test alone."""
    return _achieving(shaky_durable)


def _achieving(durable: Durable) -> Achieving:
    return Achieving(durable.http, durable.redis, durable.ledger)


def _written(achieving: Achieving) -> dict[str, int]:
    """How often each command that writes the achievements' keys has run."""
    ran = achieving.redis.info("commandstats")
    return {name: int(ran.get(f"cmdstat_{name}", {"calls": 0})["calls"]) for name in WRITES}


def test_who_never_opened_the_page_stands_right_after_the_first_sweep(
    achieving: Achieving,
) -> None:
    """Ten thousand visitors earn three levels, whoever looks at the board."""
    achieving.enrol("unseen", "unseen-org", "code")
    achieving.enrol("looked", "unseen-org", "code-2")
    achieving.count("unseen", unique_visitors=10_000)
    achieving.count("looked", signups=1)
    achieving.page("looked")
    before = achieving.colleagues("unseen-org")

    achieving.sweep()

    assert [("looked", 10), ("unseen", 0)] == before
    assert [("unseen", 60), ("looked", 10)] == achieving.colleagues("unseen-org")
    assert eventually(lambda: 3 == len(achieving.frames("unseen")))


def test_a_second_sweep_writes_nothing_to_redis(achieving: Achieving) -> None:
    """By the server's own counters: no frame, no board, nothing."""
    achieving.enrol("still", "still-org", "code-still")
    achieving.count("still", unique_visitors=60)
    achieving.sweep()
    assert eventually(lambda: 1 == len(achieving.frames("still")))
    achieving.colleagues("still-org")
    before = _written(achieving)

    row = achieving.sweep()

    assert 0 == row["changed"] == row["unlocked"]
    assert row["scanned"] == row["unchanged"] >= 1
    assert [("still", 5)] == achieving.colleagues("still-org")
    assert before == _written(achieving)


def test_sweeps_are_counted_once(achieving: Achieving) -> None:
    """Members, unlocks and the last success, as Prometheus sees them."""

    def sample(name: str, **labels: str) -> float:
        lines = achieving.http.get("/metrics").text.splitlines()
        inner = ",".join(f'{key}="{value}"' for key, value in labels.items())
        head = f"{name}{{{inner}}} " if inner else f"{name} "
        return next((float(one.removeprefix(head)) for one in lines if one.startswith(head)), 0.0)

    def unlocks() -> float:
        return sample("achievements_unlocks_total")

    def is_counted(row: Json) -> bool:
        ended = datetime.fromisoformat(row["ended_at"]).replace(tzinfo=UTC).timestamp()
        return ended == sample("achievements_sweep_last_success_timestamp_seconds")

    row = achieving.sweep()
    assert eventually(lambda: is_counted(row))
    unlocked = unlocks()
    achieving.enrol("measured", None, "code-measured")
    achieving.count("measured", signups=10)
    row = achieving.sweep()

    assert eventually(lambda: is_counted(row))
    assert eventually(lambda: unlocks() == unlocked + 2)

    def members() -> tuple[float, float]:
        outcomes = ("changed", "unchanged")
        name = "achievements_sweep_members_total"
        looked_at = sum(sample(name, outcome=outcome) for outcome in outcomes)
        return sample("achievements_recounts_total", source="sweep"), looked_at

    assert eventually(lambda: len(set(members())) == 1)


def test_a_night_has_a_date_and_a_sweep_a_number(achieving: Achieving) -> None:
    """What is none is refused by name; the answer says when the sweep is due."""
    # Nobody says before 03:15 that this night's reconcile is complete.
    night = (datetime.now(UTC) - timedelta(hours=3, minutes=15)).date().isoformat()
    told = achieving.http.post(f"/v1/reconciles/{night}").json()
    others = [
        achieving.http.post(f"/v1/reconciles/{other}").json()
        for other in ("2026-09-06", "2999-12-31")
    ]

    assert (night, f"{night}T04:40:00.000Z") == (told["night"], told["sweep_at"])
    assert (True, [False, False]) == (told["in_time"], [one["in_time"] for one in others])
    for bad in ("20260906", "2026-02-30", "tonight", "1999-12-31", "%ff"):
        assert ["night"] == invalid(achieving.http.post(f"/v1/reconciles/{bad}"))
    for bad in ("0", "first", "-1", "9" * 16):
        assert ["sweep"] == invalid(achieving.http.get(f"/v1/sweeps/{bad}"))
    check(achieving.http.get("/v1/sweeps/999999"), 404, "unknown-sweep")
    described = achieving.http.get("/openapi.json").json()["paths"]["/v1/sweeps/{sweep}"]["get"]
    largest = described["parameters"][0]["schema"]["maximum"]
    check(achieving.http.get(f"/v1/sweeps/{largest}"), 404, "unknown-sweep")
    assert ["sweep"] == invalid(achieving.http.get(f"/v1/sweeps/{largest + 1}"))


def test_after_a_loss_of_redis_the_stream_goes_on_and_boards_come_back(
    shaky: Achieving, own_valkey: ValkeyProcess
) -> None:
    """What was published is not sent again; what was not is, and every board is made anew."""
    shaky.enrol("lost", "lost-org", "code")
    shaky.count("lost", signups=1)
    shaky.page("lost")
    assert eventually(lambda: [("lost", "host", 1)] == shaky.frames("lost"))
    assert [("lost", 10)] == shaky.colleagues("lost-org")

    own_valkey.stop()
    shaky.count("lost", signups=9).raise_for_status()
    assert 40 == shaky.page("lost")["points"]
    check(shaky.http.get("/v1/organizations/lost-org/leaderboard"), 503, "redis-unavailable")
    own_valkey.start()

    assert eventually(lambda: [("lost", "host", 2)] == shaky.frames("lost"))
    assert [("lost", 40)] == shaky.colleagues("lost-org")
    assert ["2-0"] == [entry for entry, _ in shaky.stream()]


def test_a_repeat_is_passed_over(shaky: Achieving) -> None:
    """Somebody published and died before the ledger knew: it is sent again, and stays once."""
    known = f"{{{STREAM}}}:ledger"
    shaky.redis.hset(known, "ledger", _ledger_id(shaky.ledger))
    shaky.redis.hset(known, "last", "1-0")
    frame = {"member": "twice", "achievement": "host", "level": "1"}
    shaky.redis.xadd(STREAM, frame, id="1-0")  # type: ignore[arg-type]  # its stub wants bytes
    shaky.count("twice", signups=10)
    shaky.page("twice")

    assert eventually(lambda: 2 == len(shaky.stream()))
    assert ["1-0", "2-0"] == [entry for entry, _ in shaky.stream()]
    assert frame == shaky.stream()[0][1]
    assert eventually(lambda: 2 == _published_to(shaky.ledger))


def test_a_stream_and_boards_of_another_ledger_are_begun_anew(shaky: Achieving) -> None:
    """Otherwise their greater numbers would refuse frames that they never had."""
    shaky.redis.xadd(STREAM, {"member": "foreign"}, id="900-0")
    shaky.redis.zadd("achievements:points:new-org", {"foreign": 5})
    shaky.enrol("new", "new-org", "code")
    shaky.count("new", signups=1)
    shaky.page("new")

    assert eventually(lambda: ["1-0"] == [entry for entry, _ in shaky.stream()])
    assert [("new", 10)] == shaky.colleagues("new-org")


@pytest.fixture
def two_workers(own_valkey: ValkeyProcess, tmp_path: Path) -> Iterator[Achieving]:
    """A service of two workers that share a ledger."""
    counts = str(tmp_path / "counts")
    with durable_service(
        "partitioned", own_valkey, tmp_path, HOTBOARD_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=counts
    ) as durable:
        yield _achieving(durable)


def test_readers_and_sweeps_of_two_workers_unlock_each_level_once(two_workers: Achieving) -> None:
    """Whoever finds a level first, it is one unlock and one frame, in order."""
    members = [f"raced-{number:02d}" for number in range(30)]
    for member in members:
        two_workers.enrol(member, "raced-org", member)
    for visitors in (60, 600, 6_000):
        for member in members:
            two_workers.count(member, unique_visitors=visitors).raise_for_status()
        begun = two_workers.http.post("/v1/sweeps")
        for member in members:
            two_workers.page(member)
        assert begun.status_code in {200, 409}

    assert eventually(lambda: 90 == len(two_workers.stream()))
    assert [f"{number}-0" for number in range(1, 91)] == [one for one, _ in two_workers.stream()]
    assert {(member, "crowd-puller", level) for member in members for level in (1, 2, 3)} == set(
        two_workers.frames(*members)
    )
    assert [(member, 60) for member in reversed(members)] == two_workers.colleagues("raced-org")


def _ledger_id(path: Path) -> str:
    return str(_ask(path, "SELECT ledger_id FROM state"))


def _published_to(path: Path) -> int:
    return int(str(_ask(path, "SELECT published_to FROM achievement_state")))


def _ask(path: Path, question: str) -> object:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        (value,) = connection.execute(question).fetchone()
        return value
