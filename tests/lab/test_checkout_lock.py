"""One run at a time, and nothing left over from a killed one."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import lab.stack.checkout_lock
from lab.errors import UsageError
from lab.stack.checkout_lock import TOKEN_VARIABLE, lock_checkout, processes_of

_PATIENCE_SECONDS = 60
_HOLD = textwrap.dedent("""
    import subprocess, sys, os
    from pathlib import Path
    from lab.stack.checkout_lock import TOKEN_VARIABLE, lock_checkout
    with lock_checkout(Path(sys.argv[1]), "make load-naive") as claim:
        child = subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(60)"],
            env={**os.environ, TOKEN_VARIABLE: claim.token},
            start_new_session=True,
        )
        print(child.pid, flush=True)
        sys.stdin.read()
        child.kill()
        child.wait()
""")


def _holder(state: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(state)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _guard_of(holder: int) -> psutil.Process:
    """The process that watches over a holder; one that has just begun shows no words yet."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for child in psutil.Process(holder).children():
            with suppress(psutil.NoSuchProcess):
                if "lab.guard" in child.cmdline():
                    return child
        time.sleep(0.01)
    raise AssertionError(f"Process {holder} has no guard.")


def test_a_second_run_is_refused_with_the_first_ones_name(tmp_path: Path) -> None:
    """The sentence names the command and the pid that hold the checkout."""
    with _holder(tmp_path) as first:
        assert first.stdout is not None
        first.stdout.readline()

        with pytest.raises(UsageError) as caught, lock_checkout(tmp_path, "make load-naive"):
            pass
        first.communicate("")

    assert f"`make load-naive` (pid {first.pid}," in str(caught.value)


def test_the_next_run_ends_what_a_killed_one_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After kill -9, of its guard too, the orphan is found by its token; others are untouched."""
    with _holder(tmp_path) as first:
        assert first.stdout is not None
        orphan = psutil.Process(int(first.stdout.readline()))
        _guard_of(first.pid).kill()
        first.kill()
        first.wait()
    assert orphan.is_running()

    with lock_checkout(tmp_path, "make load-naive"):
        alive = orphan.is_running() and orphan.status() != psutil.STATUS_ZOMBIE

    assert not alive
    assert f"Ended 1 processes left by `make load-naive` (pid {first.pid})." in (
        capsys.readouterr().out
    )


def test_what_a_killed_run_left_is_ended_at_once(tmp_path: Path) -> None:
    """By its guard, which ends too; nobody has to start another run."""
    with _holder(tmp_path) as first:
        assert first.stdout is not None
        orphan = psutil.Process(int(first.stdout.readline()))
        guard = _guard_of(first.pid)
        first.kill()
        first.wait()

    _, alive = psutil.wait_procs([orphan, guard], timeout=_PATIENCE_SECONDS)
    assert [] == alive


def test_a_claim_that_ends_takes_its_guard_along(tmp_path: Path) -> None:
    """And no guard ends anybody else's."""
    with lock_checkout(tmp_path, "one"):
        guard = _guard_of(os.getpid())

    assert not guard.is_running()


def test_the_claim_is_released_at_the_end(tmp_path: Path) -> None:
    """A claim can be taken again once the first one ended, and leaves no file."""
    with lock_checkout(tmp_path, "one") as first:
        pass
    with lock_checkout(tmp_path, "two") as second:
        pass

    assert first.token != second.token
    assert not (tmp_path / "claim.json").exists()


def test_processes_are_known_by_their_token_alone() -> None:
    """Only the process that carries the token is found."""
    token = f"test-{os.getpid()}"
    sleeper = [sys.executable, "-c", "import time; print(flush=True); time.sleep(60)"]
    with subprocess.Popen(
        sleeper, env={**os.environ, TOKEN_VARIABLE: token}, stdout=subprocess.PIPE
    ) as marked:
        assert marked.stdout is not None
        marked.stdout.readline()

        found = [process.pid for process in processes_of(token)]
        marked.kill()

    assert [marked.pid] == found


@pytest.mark.parametrize(
    ("caption", "changes"),
    [
        ("no token", {"token": None}),
        ("an empty token", {"token": ""}),
        ("a list", {"token": ["x"]}),
        ("a token that is none of ours", {"token": "x"}),
        ("of another folder", {"folder": 1}),
        ("a word for a pid", {"pid": "me"}),
    ],
)
def test_a_strange_claim_ends_nobody(
    caption: str, changes: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process is even looked for: one without a token would be found by a claim without one."""
    asked: list[str] = []

    def nobody(token: str) -> list[psutil.Process]:
        asked.append(token)
        return []

    monkeypatch.setattr(lab.stack.checkout_lock, "processes_of", nobody)
    whole = {"token": "0" * 32, "pid": 1, "command": "make", "since": "now"}
    claim = {**whole, "folder": tmp_path.stat().st_ino, **changes}
    (tmp_path / "claim.json").write_text(json.dumps(claim), encoding="utf-8")

    with lock_checkout(tmp_path, "make load-naive"):
        pass

    assert [] == asked, caption


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"[" * 100_000])
def test_a_claim_that_cannot_be_read_is_replaced(content: bytes, tmp_path: Path) -> None:
    """Half a file, no JSON and no text hold nobody up."""
    (tmp_path / "claim.json").write_bytes(content)

    with lock_checkout(tmp_path, "make load-naive") as claim:
        held = json.loads((tmp_path / "claim.json").read_bytes())

    assert claim.token == held["token"]


def test_a_copy_of_a_checkout_leaves_the_original_alone(tmp_path: Path) -> None:
    """A claim that came along with a copy names processes that belong to the original."""
    original = tmp_path / "original"
    with _holder(original) as first:
        assert first.stdout is not None
        child = psutil.Process(int(first.stdout.readline()))
        shutil.copytree(original, tmp_path / "copy")

        with lock_checkout(tmp_path / "copy", "make load-naive"):
            alive = child.is_running() and child.status() != psutil.STATUS_ZOMBIE
        first.communicate("")

    assert alive


@pytest.mark.parametrize("name", ["lock", "claim.json", "claim.new"])
def test_a_folder_in_the_place_of_a_file_is_named(name: str, tmp_path: Path) -> None:
    """The sentence names what is in the way."""
    (tmp_path / name).mkdir()

    with pytest.raises(UsageError) as caught, lock_checkout(tmp_path, "make load-naive"):
        pass

    assert str(caught.value).startswith(str(tmp_path)), caught.value
    assert "cannot be written" in str(caught.value)


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    """The folder of the claim may be a file."""
    (tmp_path / "state").touch()

    with pytest.raises(UsageError) as caught, lock_checkout(tmp_path / "state", "make lab"):
        pass

    assert f"{tmp_path / 'state'} cannot be written: File exists." in str(caught.value)
