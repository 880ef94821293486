from dataclasses import replace
from pathlib import Path

import pytest
from load_plans import PLAN

from locustfiles.operations.places import Places
from locustfiles.recording.documents import timestamp
from locustfiles.recording.host_facts import git_facts, host_facts, version_facts
from locustfiles.recording.last_scores import Accepted, LastScores
from locustfiles.recording.request_log import NoRequestLog, open_request_log
from locustfiles.recording.run_files import RunFiles, score_pieces
from locustfiles.schedule.arrival import Arrival


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


def test_the_last_scores_of_players() -> None:
    """The greater sequence stays, whichever message comes last, and doubt stays."""
    scores = LastScores()
    scores.add_message(LastScores({0: Accepted(5, 1), 1: Accepted(8, 2)}, set()).as_message())
    scores.add_message(LastScores({1: Accepted(7, 3)}, {0}).as_message())
    scores.add_message(LastScores({0: Accepted(6, 9)}, set()).as_message())

    assert LastScores({0: Accepted(6, 9), 1: Accepted(8, 2)}, {0}) == scores


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


def _never(reason: str) -> None:
    raise AssertionError(reason)


@pytest.mark.parametrize("lines", [0, 1, 1_000])
def test_a_request_log_on_a_full_disk_is_given_up_once(tmp_path: Path, lines: int) -> None:
    """Nothing is raised where requests are sent, whether it shows at a line or at the end."""
    path = tmp_path / "requests-0.csv"
    path.symlink_to("/dev/full")
    reasons: list[str] = []
    log = open_request_log(str(tmp_path), 0, reasons.append)
    for number in range(lines):
        log.append_request("top", Arrival(number, 10, -1, -1), "ok", 20, 30)
    log.close()

    assert reasons == [f"the request log {path} cannot be written: No space left on device"]


def test_a_request_log_without_its_folder_is_given_up(tmp_path: Path) -> None:
    """The generator's other work goes on."""
    reasons: list[str] = []
    log = open_request_log(str(tmp_path / "gone"), 0, reasons.append)
    log.append_request("top", Arrival(0, 10, -1, -1), "ok", 20, 30)
    log.close()

    assert [one.rpartition(": ")[2] for one in reasons] == ["No such file or directory"]


def test_a_request_log_has_a_line_for_each_outcome(tmp_path: Path) -> None:
    """Cells stay empty where a request names no player or was never sent."""
    log = open_request_log(str(tmp_path), 3, _never)
    log.append_request("submit", Arrival(-2, -500, 7, 99), "ok", -490, 300)
    log.append_request("top", Arrival(0, 10, -1, -1), "dropped", 0, 0)
    log.close()

    assert (
        "operation,number,intended_us,player,score,outcome,begun_us,ended_us\n"
        "submit,-2,-500,7,99,ok,-490,300\n"
        "top,0,10,,,dropped,,\n"
    ) == (tmp_path / "requests-3.csv").read_text()


def test_no_request_log_is_the_default(tmp_path: Path) -> None:
    """Without a folder nothing is written."""
    log = open_request_log("", 0, _never)
    log.append_request("top", Arrival(0, 10, -1, -1), "ok", 0, 0)
    log.close()

    assert isinstance(log, NoRequestLog)
    assert [] == list(tmp_path.iterdir())


def test_times_are_rfc_3339_with_milliseconds() -> None:
    """UTC, with a Z."""
    assert "2026-01-02T03:04:05.678Z" == timestamp(1767323045.678)
    assert "2026-01-02T03:04:05.000Z" == timestamp(1767323045)


def test_facts_are_read_and_not_assumed() -> None:
    """What is not known is null, never a guess."""
    versions = version_facts({"server": "valkey", "version": "9.1.2", "redis_py": "8.1.0"})

    assert ("valkey 9.1.2", "8.1.0") == (versions["redis_server"], versions["redis_py"])
    assert "2.47.0" == versions["locust"]
    assert (None, None) == tuple(version_facts(None)[name] for name in ("redis_server", "redis_py"))
    assert {"cpu", "cores", "memory_bytes", "os"} == set(host_facts())
    assert {"git_revision", "git_dirty"} == set(git_facts())
