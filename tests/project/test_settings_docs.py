"""docs/settings.md names every setting that the service reads."""

import re
from datetime import time
from pathlib import Path

from lab.cli.variables import Variables
from lab.stack.service_settings import service_settings
from target_service.settings import PREFIX, Settings
from workload.assumptions import Assumptions

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?)\s?\| (.*?)\s?\| .*\|$", PAGE, re.MULTILINE)
# What an embedded stack is told beside what is the same under compose.
_WHERE = {f"{PREFIX}{name}" for name in ("REDIS_URL", "LEDGER_PATH", "HOST", "PORT")}


def _default(value: object) -> str:
    """Word a default as a shell would set it; empty where there is none."""
    if isinstance(value, tuple):
        return f"`{','.join(value)}`"
    if isinstance(value, time):
        return f"`{value.isoformat('minutes')}`"
    return f"`{value}`"


def test_every_setting_has_its_row() -> None:
    """With what it must be and its default, in the order of the class."""
    documented = [(name, must_be, default) for name, must_be, default, _ in ROWS]
    read = [
        (
            PREFIX + name.upper(),
            field.description,
            "" if field.is_required() or field.default in (None, ()) else _default(field.default),
        )
        for name, field in Settings.model_fields.items()
    ]

    assert [*read] == documented


def test_what_make_decides_is_said_so() -> None:
    """A row names a variable of make where the lab sets it, and nowhere else."""
    decided = {name for name, _, _, make in ROWS if make}

    assert {*service_settings(Variables(), Assumptions()), *_WHERE} == decided
