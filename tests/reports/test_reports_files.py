"""Run directories of anybody's: no file of them hangs, fills the memory or reaches outside."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.rundir import files
from reports.rundir.files import UnusableFile, printable, read_inside, readable_json, sane_json

SHORT = Plan(duration_seconds=2, stamp="20260906T120000Z")
NAMES = ["run.json", "measurements.json", "audit.json", "drill.json", "operations.csv"]


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _outside(path: Path) -> None:
    outside = path.parent.parent / "outside"
    outside.write_text('{"secret": 1}')
    path.symlink_to(outside)


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir()


def _long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(files.LARGEST_BYTES + 1)


KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (_pipe, "is not a file"),
    "endless": (_endless, "is a link that leads out of the run directory"),
    "outside": (_outside, "is a link that leads out of the run directory"),
    "circle": (_circle, "cannot be read: "),
    "folder": (_folder, "is not a file"),
    "long": (_long, "is longer than "),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_plain_file_of_the_directory_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told at once, in the words for what it is."""
    monkeypatch.setattr(files, "LARGEST_BYTES", 1_000_000)
    folder = tmp_path / "run"
    folder.mkdir()
    make, reason = KINDS[kind]
    make(folder / "run.json")

    with pytest.raises(UnusableFile, match=f"^run.json {reason}"):
        read_inside(folder, "run.json")


def test_files_may_be_linked_inside_and_the_directory_from_elsewhere(tmp_path: Path) -> None:
    """Only what leads out of it is refused."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "real").write_text("1")
    (folder / "run.json").symlink_to("real")
    (tmp_path / "other").symlink_to(folder)

    assert b"1" == read_inside(tmp_path / "other", "run.json")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["pipe", "outside"])
def test_no_command_waits_for_a_file_or_copies_one_of_somewhere_else(
    kind: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command on runs ends, with a sentence that names the file where it matters."""
    run = make_run(tmp_path / "runs", SHORT)
    (run / "operations.csv").write_text("operation,p99_ms\nall,5\n")
    (run / name).unlink(missing_ok=True)
    make, reason = KINDS[kind]
    make(run / name)
    out = tmp_path / "out"

    assert main(["--runs-dir", str(run.parent), "runs"]) == 0
    assert main(["show", str(run)]) == (3 if name == "run.json" else 0)
    exported = main(["export", str(run), str(out)])
    printed = capsys.readouterr()

    if name != "operations.csv":
        assert f"{name} {reason}" in printed.out + printed.err
    if name in {"run.json", "operations.csv"}:
        assert 0 != exported
        assert f"{name} {reason}" in printed.err
    assert not any("secret" in file.read_text() for file in out.glob("*"))


def test_a_pipe_where_a_run_is_exported_to_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whose it is cannot be told, so nothing is written over it."""
    run = make_run(tmp_path, SHORT)
    (run / "operations.csv").write_text("operation\n")
    out = tmp_path / "out"
    out.mkdir()
    os.mkfifo(out / "run.json")

    assert main(["export", str(run), str(out)]) == 2
    assert f"{out} already holds run.json of something else" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"scale": 1e308}', "it holds the number 1e.308, which no run has"),
        (b'{"scale": [-1e-300]}', "it holds the number -1e-300, which no run has"),
        (b'{"seed": 1' + b"0" * 400 + b"}", "it holds the number 10{19}, which no run has"),
        (b'{"seed": 1' + b"0" * 5000 + b"}", "out of range"),
        (b"[" * 65 + b"]" * 65, "it is nested deeper than 64 levels"),
        (b"[" * 100_000, "recursion|truncated"),
        (b'"\\ud800"', "truncated"),
    ],
)
def test_numbers_and_depths_that_no_run_has_are_refused(content: bytes, problem: str) -> None:
    """So that no arithmetic has to expect them; each in a sentence."""
    with pytest.raises((Exception, RecursionError), match=problem) as caught:
        sane_json(content)
    assert isinstance(caught.value, ValueError | RecursionError)


def test_what_a_run_writes_is_sane() -> None:
    """The largest seed, the least share, and nothing."""
    content = {"seed": 2**63 - 1, "shares": [1e-9, 0.0, -0.0], "dirty": None, "foreign": False}

    assert content == sane_json(json.dumps(content).encode())


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain ≤ 中 😀", "plain ≤ 中 😀"),
        ('a "quoted" \\ one / two', 'a "quoted" \\ one / two'),
        ("\\u001b is spelt", "\\u001b is spelt"),
        ("two\nlines\tand\rmore", "two lines and more"),
        ("\x1b[2J\x07\b\f\x7f\x9b\u202e", "�[2J������"),
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_words_are_read_without_what_a_terminal_obeys(
    text: str, read: str, ascii_only: bool
) -> None:
    """However JSON spells it; what looks like an escape and is none stays."""
    data = json.dumps({text: [text]}, ensure_ascii=ascii_only).encode()

    assert {read: [read]} == json.loads(readable_json(data))


def test_no_escape_sequence_reaches_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither out of a run's files nor out of its name, whatever is asked."""
    escape = "\x1b]0;mine\x07"
    run = make_run(tmp_path / "runs", SHORT)
    for name in ("run.json", "measurements.json"):
        text = (run / name).read_text()
        text = text.replace('"submit"', json.dumps(f"submit{escape}\n"))
        (run / name).write_text(text.replace('"peak"', json.dumps(f"peak{escape}")))
    run = run.rename(run.with_name(f"{run.name}{escape}"))

    for words in (
        ["runs"],
        ["show", "latest"],
        ["export", "latest", str(tmp_path)],
        ["show", escape],
    ):
        main(["--runs-dir", str(run.parent), *words])
    printed = capsys.readouterr()

    assert "\x1b" not in printed.out + printed.err
    assert "submit�]0;mine� " in printed.out


def test_a_text_for_a_terminal_keeps_its_lines() -> None:
    """And every letter that can be read."""
    assert "größer\n  ≤ �[2J" == printable("größer\n  ≤ \x1b[2J")


def test_a_link_under_the_name_of_a_half_written_file_is_not_followed(tmp_path: Path) -> None:
    """Whoever made the directory may have left one for every process there will be."""
    run = make_run(tmp_path / "runs", SHORT)
    kept = tmp_path / "kept"
    kept.write_text("kept")
    for name in ("run.json", "operations.csv", "report.html"):
        (run / f".{name}.{os.getpid()}.tmp").symlink_to(kept)
    main(["tables", str(run)])

    assert "kept" == kept.read_text()
    assert (run / "report.html").is_file()
