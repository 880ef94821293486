"""Who asks the lab to stop, and how it hears it."""

import os
import pty
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from lab.errors import Interrupted
from lab.stopping import StopRequest

_LISTEN = textwrap.dedent("""
    import os, signal, sys, time
    from lab.stopping import StopRequest
    stop = StopRequest()
    stop.install()
    for number in sys.argv[1:]:
        os.kill(os.getpid(), getattr(signal, number))
        time.sleep(0.05)
    where = "to the terminal" if os.isatty(1) else "to nobody"
    os.write(int(os.environ["ANSWER"]), f"{stop.times} {stop.reason}, prints {where}".encode())
""")


def _heard(*signals: str, ignored: bool = False, **environment: str) -> str:
    """What a lab on a terminal of its own made of the signals: times, reason, who sees."""
    reading, writing = os.pipe()
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-c", _LISTEN, *signals],
        env={**os.environ, **environment, "ANSWER": str(writing)},
        stdout=theirs,
        pass_fds=[writing],
        check=True,
        preexec_fn=(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) if ignored else None,
    )
    answer = os.read(reading, 1_000).decode()
    for descriptor in (reading, writing, ours, theirs):
        os.close(descriptor)
    return answer


@pytest.mark.parametrize(
    ("signals", "heard"),
    [
        (("SIGINT",), "1 stopped by SIGINT, prints to the terminal"),
        (("SIGTERM", "SIGINT"), "2 stopped by SIGTERM, prints to the terminal"),
        (("SIGHUP", "SIGHUP", "SIGHUP"), "0 stopped by SIGHUP, prints to nobody"),
        (("SIGHUP", "SIGTERM"), "1 stopped by SIGHUP, prints to nobody"),
    ],
)
def test_the_first_signal_is_the_reason_and_a_lost_terminal_is_no_impatience(
    signals: tuple[str, ...], heard: str
) -> None:
    """SIGINT and SIGTERM are counted; SIGHUP, which a shell repeats, is only noted."""
    assert heard == _heard(*signals)


def test_nohup_is_respected() -> None:
    """A SIGHUP that was ignored from the start stays ignored."""
    assert "0 None, prints to the terminal" == _heard("SIGHUP", ignored=True)


def test_a_make_that_was_killed_before_anybody_looked_is_missed() -> None:
    """The parent that the lab finds is then another one, and goes on for ever."""
    with subprocess.Popen([sys.executable, "-c", ""]) as make:
        pass

    gone = _heard(HOTBOARD_MAKE_PID=str(make.pid))

    assert "0 stopped because the make that started it is gone, prints to the terminal" == gone
    assert "0 None, prints to the terminal" == _heard(HOTBOARD_MAKE_PID=str(os.getpid()))


def test_ctrl_c_while_the_lab_is_still_being_imported_ends_it_without_a_traceback(
    tmp_path: Path,
) -> None:
    """Nobody listens yet, and half a second of imports is long enough to change one's mind."""
    slow = "import time; print('importing', flush=True); time.sleep(120)"
    (tmp_path / "filelock.py").write_text(slow)
    starting = subprocess.Popen(
        [sys.executable, "-m", "lab", "capacity"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with starting:
        assert starting.stdout is not None
        assert starting.stdout.readline() == "importing\n"
        starting.send_signal(signal.SIGINT)

        assert starting.stdout.read() == ""
    assert starting.returncode == -signal.SIGINT


def test_a_check_raises_the_reason() -> None:
    """Waiting loops end with the reason once somebody asked."""
    stop = StopRequest()
    stop.check()
    stop._note(signal.SIGTERM, None)

    with pytest.raises(Interrupted, match="stopped by SIGTERM"):
        stop.check()
