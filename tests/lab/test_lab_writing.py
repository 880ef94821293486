"""The lab's files are written whole, or the reason is a sentence."""

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from lab.errors import CannotWrite
from lab.writing import make_folder, write_json

_IN_ASCII = r"""
from pathlib import Path
from lab.writing import write_json
write_json(Path("a.json"), {"name": "told \u2264 counted"})
"""


def test_a_locale_without_the_sign_does_not_matter(tmp_path: Path) -> None:
    """A file is UTF-8 also where the locale is ASCII."""
    root = Path(__file__).parents[2]
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run(
        [sys.executable, "-c", _IN_ASCII],
        env={**environment, "PYTHONPATH": str(root)},
        cwd=tmp_path,
        check=True,
    )

    assert {"name": "told ≤ counted"} == json.loads((tmp_path / "a.json").read_bytes())


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The sentence holds the path and the system's reason; the old file stays."""
    path = tmp_path / "a.json"
    write_json(path, {"old": True})
    (tmp_path / "a.new").mkdir()

    with pytest.raises(CannotWrite, match=r"a\.json cannot be written: Is a directory"):
        write_json(path, {"old": False})
    assert {"old": True} == json.loads(path.read_bytes())


def test_half_a_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk it would be in the way of the next one."""

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)

    with pytest.raises(CannotWrite, match="No space left on device"):
        write_json(tmp_path / "a.json", {})
    assert [] == list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file stands where a parent should be."""
    (tmp_path / "reports").touch()

    with pytest.raises(CannotWrite, match=r"runs cannot be written: Not a directory"):
        make_folder(tmp_path / "reports" / "runs")
