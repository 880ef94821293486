from pathlib import Path

import pytest

from locustfiles.recording.request_log import NoRequestLog, open_request_log
from locustfiles.schedule.arrival import Arrival


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
