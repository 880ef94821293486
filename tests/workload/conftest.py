"""What several workload tests need: a scenario file of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write_scenario(tmp_path: Path) -> Callable[[str], Path]:
    """Write texts as the scenario file small.toml of an otherwise empty folder."""

    def write(text: str) -> Path:
        path = tmp_path / "small.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
