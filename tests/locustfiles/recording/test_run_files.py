"""The files of a run: each whole or not there, and the same cost at any length of a run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from load_plans import PLAN
from run_views import answer, fail

from locustfiles.operations.places import Places
from locustfiles.recording.documents import Ending, measurement_pieces
from locustfiles.recording.last_scores import Accepted, LastScores
from locustfiles.recording.recording import Recording
from locustfiles.recording.run_files import RunFiles, SettledSeconds, score_pieces
from reports.derived import derive
from reports.page.run_page import run_page
from reports.rundir.reading import read_run


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """A write that fails half way leaves the older file, and the next one replaces it."""
    files = RunFiles(tmp_path / "a" / "b")
    files.make_directory()
    files.write_pieces("x.json", ["old"])

    def failing() -> object:
        yield "new"
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011  any
        files.write_pieces("x.json", failing())  # type: ignore[arg-type]  # a generator of one piece
    place = tmp_path / "a" / "b" / "x.json"
    assert "old" == place.read_text()
    assert [place] == list(place.parent.iterdir())

    files.write_pieces("x.json", ["ne", "w"])
    assert "new" == place.read_text()
    assert [place] == list(place.parent.iterdir())


def test_score_rows() -> None:
    """A row for each player that is known of; a lost slice's players are uncertain."""
    plan = replace(PLAN, player_prefix="hotboard-")
    places = Places(plan)
    boards = {place.partition: f"key {number}" for number, place in enumerate(places.all)}
    accepted = {0: Accepted(7, 10), 13: Accepted(9, 20), 2: Accepted(8, -5)}
    scores = LastScores(accepted, {13, 4})
    pieces = list(score_pieces(scores, places, boards, 3, {2}))

    assert (
        "player,board,score,sequence,unknown\n"
        "hotboard-player-00000,key 0,10,7,0\n"
        "hotboard-player-00002,key 2,-5,8,1\n"
        "hotboard-player-00004,key 4,,,1\n"
        "hotboard-player-00013,key 1,20,9,1\n"
    ) == "".join(pieces)


def test_many_score_rows_come_in_pieces() -> None:
    """No piece is so long that it would hold up the schedule."""
    scores = LastScores(dict.fromkeys(range(1000), Accepted(1, 1)), set())
    places = Places(PLAN)
    boards = {place.partition: "k" for place in places.all}
    pieces = list(score_pieces(scores, places, boards, 1, ()))

    assert 1001 == sum(piece.count("\n") for piece in pieces)
    assert max(piece.count("\n") for piece in pieces) <= 200


HOURS = 3
DURATION = HOURS * 3_600
BROKEN = range(5_000, 5_030)


class _Keys:
    """Takes the place of the watch: two hits in every second until `now`."""

    def __init__(self) -> None:
        self.now = 0
        self._written = 0

    def settled_lines(self, before: int) -> list[str]:
        """The seconds since the last time."""
        line = '{{"second":{},"hits":{{"lb:a":{{"write":2}}}}}}\n'
        return [line.format(second) for second in range(self._written, max(before, 0))]

    def forget_seconds(self, before: int) -> None:
        """Ignore them."""
        self._written = max(before, 0)

    def as_document(self) -> dict[str, Any]:
        """The rest."""
        rest = range(self._written, min(self.now, DURATION))
        seconds = [{"second": one, "hits": {"lb:a": {"write": 2}}} for one in rest]
        return {"reason": "made up", "start": None, "end": None, "seconds": seconds}


class _Run:
    """What the master does at a checkpoint, and where."""

    def __init__(self, path: Path) -> None:
        self.recording, self.keys = Recording.of(["top"]), _Keys()
        self.files = RunFiles(path)
        plan = replace(PLAN, duration_seconds=DURATION, rates={"top": "2"})
        keys: Any = self.keys
        self.settled = SettledSeconds(plan, self.files, self.recording, keys)
        self.files.make_directory()
        run = {"run_id": PLAN.run_id, "scenario": "peak", "mode": "naive", "scale": 0.001}
        self.files.write_json("run.json", run | {"duration_seconds": DURATION})

    def checkpoint(self, second: int, ending: Ending) -> None:
        """Write what is known."""
        self.keys.now = second
        self.settled.append_seconds(second)
        self.write_measurements(self.files, ending)

    def write_measurements(self, files: RunFiles, ending: Ending) -> None:
        """Write what is not settled."""
        facts = {"keys": self.keys.as_document(), "settled": self.settled.as_document()}
        files.write_pieces(
            "measurements.json", measurement_pieces(self.recording, DURATION, facts, ending)
        )


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int], _Run]:
    """A run with a checkpoint a minute; the size of measurements.json at each."""
    path = tmp_path_factory.mktemp("runs") / PLAN.run_id
    run = _Run(path)
    sizes = []
    for second in range(DURATION):
        answer(run.recording, "top", second, 1_000 + second % 50)
        if second in BROKEN:
            fail(run.recording, "top", second, "timeout")
        if (second + 1) % 60 == 0:
            run.checkpoint(second + 1, Ending())
            sizes.append((path / "measurements.json").stat().st_size)
    run.checkpoint(DURATION, Ending("completed"))
    return path, sizes, run


def test_a_checkpoint_costs_the_same_at_any_length(
    long_run: tuple[Path, list[int], _Run],
) -> None:
    """Seconds that are over are neither written again nor kept."""
    path, sizes, run = long_run
    kept = run.recording.operations["top"].seconds

    assert len(kept) <= 60
    assert max(sizes[30:]) < 1.1 * sizes[10]
    assert (path / "seconds.jsonl").read_bytes().count(b"\n") > 2 * (DURATION - 60)


def test_nothing_of_a_long_run_is_lost(long_run: tuple[Path, list[int], _Run]) -> None:
    """Every second stands in the tables, whichever file it was written to."""
    path, _, _ = long_run
    derived = derive(read_run(path))
    rows = derived.tables["timeline.csv"].records()
    hits = derived.tables["key_timeline.csv"].records()
    (failure,) = derived.tables["failures.csv"].records()

    assert list(range(DURATION)) == [row["second"] for row in rows]
    assert {1} == {row["ok"] for row in rows}
    assert [1.0 + second % 50 / 1000 for second in range(DURATION)] == [
        row["max_ms"] for row in rows
    ]
    assert list(BROKEN) == [row["second"] for row in rows if row["failed"]]
    assert (DURATION, {2}) == (len(hits), {row["hits"] for row in hits})
    assert ("timeout", len(BROKEN), 5_000, 5_029) == (
        failure["kind"], failure["count"], failure["first_second"], failure["last_second"],
    )  # fmt: skip


def test_the_page_of_a_long_run_has_coarser_seconds(
    long_run: tuple[Path, list[int], _Run],
) -> None:
    """Beyond an hour a point stands for several seconds, and the page says for how many."""
    path, _, _ = long_run
    run = read_run(path)
    page = run_page(derive(run))

    assert run.seconds is not None
    assert (5, DURATION // 5) == (run.seconds.step, len(run.seconds.latency))
    assert "A point of the plots stands for 5 seconds." in page
    assert len(page.encode()) < 1_000_000


def test_tables_so_far_hold_every_second(
    long_run: tuple[Path, list[int], _Run], tmp_path: Path
) -> None:
    """Those who ask for tables while a run goes on get the settled seconds too."""
    path, _, run = long_run
    so_far = RunFiles(tmp_path)
    run.settled.copy_file(tmp_path)
    run.write_measurements(so_far, Ending())
    (tmp_path / "run.json").write_bytes((path / "run.json").read_bytes())
    rows = derive(read_run(tmp_path)).tables["timeline.csv"].records()

    assert DURATION == len(rows)


def test_what_lies_behind_the_checkpoint_is_not_counted_twice(
    long_run: tuple[Path, list[int], _Run], tmp_path: Path
) -> None:
    """A run killed while it appended leaves lines that measurements.json knows nothing of."""
    path, _, _ = long_run
    copy = tmp_path / path.name
    copy.mkdir()
    for name in ("run.json", "measurements.json", "seconds.jsonl"):
        (copy / name).write_bytes((path / name).read_bytes())
    with (copy / "seconds.jsonl").open("a") as file:
        file.write('{"second":7,"operation":"top","offered":5}\n{"second":8,"oper')
    rows = derive(read_run(copy)).tables["timeline.csv"].records()

    assert [1, 1] == [rows[7]["offered"], rows[8]["offered"]]


@pytest.mark.parametrize("cut", ["missing", "short", "torn"])
def test_settled_seconds_that_are_gone_are_a_reason(
    long_run: tuple[Path, list[int], _Run], tmp_path: Path, cut: str
) -> None:
    """The rest is shown, and the verdict says that something is missing."""
    path, _, _ = long_run
    copy = tmp_path / path.name
    copy.mkdir()
    for name in ("run.json", "measurements.json"):
        (copy / name).write_bytes((path / name).read_bytes())
    lines = (path / "seconds.jsonl").read_bytes()
    if cut != "missing":
        torn = lines[:50] + b"{" * 20 + lines[70:]
        (copy / "seconds.jsonl").write_bytes(lines[:-50] if cut == "short" else torn)
    derived = derive(read_run(copy))

    assert "invalid" == derived.verdict.status.value
    assert any("seconds.jsonl" in one for one in derived.verdict.reasons)


def test_settled_seconds_are_a_part_of_a_json_line_each(
    long_run: tuple[Path, list[int], _Run],
) -> None:
    """Anybody's tools can read them."""
    path, _, _ = long_run
    with (path / "seconds.jsonl").open() as file:
        first = json.loads(next(file))

    assert {"second": 0, "operation": "top", "offered": 1, "response_us": {"1000": 1}} == {
        name: first[name] for name in ("second", "operation", "offered", "response_us")
    }
