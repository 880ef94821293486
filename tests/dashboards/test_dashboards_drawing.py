"""What comes before a dashboard is drawn: the programs it needs, and the page that is given."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dashboards.draw.drawing import HERE


@pytest.mark.parametrize("missing", ["node", "npm"])
def test_without_node_or_npm_it_says_so_and_exits_3(tmp_path: Path, missing: str) -> None:
    """Nothing is installed, and the sentence names the program and where it comes from."""
    for name in {"dirname", "node", "npm"} - {missing}:
        (tmp_path / name).symlink_to(shutil.which(name) or "/bin/true")
    result = subprocess.run(
        ["/bin/sh", HERE / "prepare.sh"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (3, "") == (result.returncode, result.stdout)
    assert f"need {missing}, and it was not found: install node 20" in result.stderr


def test_the_lock_names_no_host_to_download_from() -> None:
    """What is installed comes from the registry that npm is set up with."""
    lock = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))
    packages = [one for name, one in lock["packages"].items() if name]

    assert all("resolved" not in one and one["integrity"] for one in packages)
