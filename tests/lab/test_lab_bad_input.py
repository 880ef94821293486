"""Whatever is wrong with a command is told in one round, before anything is started."""

import sqlite3
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from lab import __main__ as program
from lab.cli.checks import unusable_places
from lab.cli.variables import Variables
from lab.errors import PartFailed, UsageError
from lab.stack.process import Part
from lab.stack.redis import find_server
from lab.stack.stack import Session


@pytest.fixture(autouse=True)
def _nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    monkeypatch.setattr(program, "lock_checkout", lambda *_: pytest.fail("it was begun"))


def _refused(
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    **variables: str,
) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["lab", command])
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert program.main() == 2
    return capsys.readouterr().err.splitlines()


def _script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("none/ledger.db", "lies in a folder that does not exist: make "),
        ("file/ledger.db", "cannot be a file, as "),
        (".", "is not a file: name one."),
        ("locked/ledger.db", "cannot be kept: make the folder "),
        ("read-only.db", "cannot be written: make it readable and writable"),
        ("notes.txt", "is a file of another kind: name another one."),
        ("endless", "is not a file: name one."),
        ("circle", "cannot be kept (Too many levels of symbolic links): name another file."),
        ("x" * 250, "cannot be kept (File name too long): name another file."),
        ("x" * 300 + "/ledger.db", "cannot be kept (File name too long): name another file."),
    ],
)
def test_a_place_where_no_ledger_can_be_kept(
    place: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the variable and the way out."""
    (tmp_path / "file").touch()
    (tmp_path / "locked").mkdir()
    (tmp_path / "read-only.db").touch()
    (tmp_path / "endless").symlink_to("/dev/full")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "notes.txt").write_text("SQLite is what I read of today.")
    barred = {tmp_path / "locked", tmp_path / "read-only.db"}
    # root may write anywhere
    monkeypatch.setattr("os.access", lambda path, _: Path(path) not in barred)
    path = tmp_path / place

    (told,) = unusable_places(Variables(ledger_path=path))

    assert told.startswith(f"LEDGER_PATH={path} {problem}")


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        (None, 0, "is no program that can be run"),
        ("#!/bin/sh", 0o644, "is no program that can be run"),
        ("no program at all", 0o755, "is no program that can be run (Exec format error)"),
        ("#!/nowhere/sh", 0o755, "is no program that can be run (No such file or directory)"),
        ("#!/bin/sh\nexit 3", 0o755, "is no Redis-compatible server by its --version"),
        ("#!/bin/sh\necho redis-cli 8.0.2", 0o755, "is no Redis-compatible server"),
    ],
)
def test_a_program_that_is_no_server(
    text: str | None, mode: int, problem: str, tmp_path: Path
) -> None:
    """Missing, not executable, broken, or something else."""
    program_file = tmp_path / "redis-server"
    if text is not None:
        program_file.write_text(text)
        program_file.chmod(mode)

    (told,) = unusable_places(Variables(hotboard_redis_bin=program_file))

    assert told.startswith(f"HOTBOARD_REDIS_BIN={program_file} {problem}")
    assert told.endswith(": name a redis-server or valkey-server, or leave it out.")


def test_a_folder_is_no_server(tmp_path: Path) -> None:
    """Although it may be entered."""
    (told,) = unusable_places(Variables(hotboard_redis_bin=tmp_path))

    assert told.startswith(f"HOTBOARD_REDIS_BIN={tmp_path} is no program that can be run:")


def test_usable_places_are_not_refused(tmp_path: Path) -> None:
    """A ledger that is there or not, a server, and a script that starts one."""
    server = find_server(None)
    script = _script(tmp_path / "wrapped", f'exec {server} "$@"')
    (tmp_path / "empty.db").touch()
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.execute("CREATE TABLE state (last_change)")

    for ledger, chosen in (("new.db", server), ("empty.db", server), ("old.db", script)):
        named = Variables(ledger_path=tmp_path / ledger, hotboard_redis_bin=chosen)

        assert [] == unusable_places(named)


def test_settings_and_the_refusals_of_a_drill_come_together(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is no value, what does not go together, what the drill, its load and its stack lack."""
    told = _refused(
        "drill",
        monkeypatch,
        capsys,
        DRILL="stale-top",
        SCALE="fast",
        DURATION="5s",
        TOP="live",
        LEDGER="none",
        LEDGER_PATH=str(tmp_path / "none" / "ledger.db"),
        HOTBOARD_REDIS_BIN=str(tmp_path),
        REDIS_URL="http://h",
        SET="update_fraction_per_second=0",
    )

    expected = (
        "SCALE=fast:",
        "REDIS_URL=http://h:",
        "LEDGER=none and LEDGER_PATH exclude each other",
        "leave out LEDGER=none.",
        "DURATION=5s is too short",
        "TOP=live has no aggregator",
        "leave update_fraction_per_second and",
        f"LEDGER_PATH={tmp_path}/none/ledger.db lies in a folder that does not exist",
        f"HOTBOARD_REDIS_BIN={tmp_path} is no program",
    )
    assert [False] * len(told) == [
        words not in line for line, words in zip(told, expected, strict=True)
    ]


@pytest.mark.parametrize(
    ("command", "variables", "named"),
    [
        (
            "load",
            {"DURATION": "5x", "SCENARIO": "none", "HOTBOARD_REDIS_BIN": "nowhere"},
            ("DURATION=5x:", "SCENARIO=none has no file", "HOTBOARD_REDIS_BIN=nowhere is no"),
        ),
        (
            "load",
            {"SCENARIO": "odometer", "LEDGER": "none", "SEED": "-1", "DRILL": "redis-kill"},
            ("SEED=-1:", "DRILL=redis-kill belongs to", "The scenario odometer sends"),
        ),
        ("compare", {"A": "one", "ROUNDS": "0"}, ("ROUNDS=0:", "A and B name two runs")),
        (
            "compare",
            {"TARGET": "http://127.0.0.1:9"},
            ("TARGET=http://127.0.0.1:9 would be", "TARGET serves one mode"),
        ),
        (
            "serve",
            {"STACK": "compose", "RANK_LIMIT": "0"},
            ("RANK_LIMIT=0:", "`make serve` keeps an embedded stack"),
        ),
        (
            "calibrate",
            {"SCALE": "2", "TOTALS": "none.csv", "EVENT": "none.json"},
            ("SCALE=2:", "TOTALS=none.csv cannot be read", "EVENT=none.json cannot be read"),
        ),
        ("drill", {"DRILL": "flood", "SCALE": "2"}, ("SCALE=2:", "DRILL=flood is no drill")),
    ],
)
def test_every_command_tells_all_at_once(
    command: str,
    variables: dict[str, str],
    named: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A variable without a value of its own is looked at as if it were left out."""
    told = _refused(command, monkeypatch, capsys, **variables)

    assert len(named) == len(told)
    assert all(line.startswith(start) for line, start in zip(told, named, strict=True))


def test_a_wrong_value_is_not_taken_for_one_that_was_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """TOP=quick is no TOP=live, which the drill would refuse."""
    told = _refused("drill", monkeypatch, capsys, DRILL="stale-top", TOP="quick")

    assert ["TOP=quick"] == [line.partition(":")[0] for line in told]


def test_a_part_that_refuses_its_settings_is_bad_input(session: Session, tmp_path: Path) -> None:
    """What only the service reads is checked by it; its sentences are told, with its code."""
    refusing = _script(tmp_path / "service", "echo HOTBOARD_TOP is wrong. >&2; exit 2")
    part = Part("The service", [str(refusing)], session, log=tmp_path / "log", ready=lambda: False)

    with ExitStack() as running:
        running.callback(part.end)
        with pytest.raises(UsageError) as caught:
            part.begin()

    assert caught.value.problems == ("The service refuses its settings.", "HOTBOARD_TOP is wrong.")


def test_a_part_that_fails_at_its_start_is_no_bad_input(session: Session, tmp_path: Path) -> None:
    """Any other code says nothing of settings."""
    failing = _script(tmp_path / "service", "exit 1")
    part = Part("The service", [str(failing)], session, log=tmp_path / "log", ready=lambda: False)

    with ExitStack() as running:
        running.callback(part.end)
        with pytest.raises(PartFailed, match=r"ended at its start\. It wrote nothing\."):
            part.begin()
