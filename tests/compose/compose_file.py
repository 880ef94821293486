"""compose.yaml as tests read it: filled in with nothing set, and as text."""

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
_DEFAULTED = re.compile(r"\$\{(\w+):-([^}]*)\}")
# what stands there only when the variable is set
_WHEN_SET = re.compile(r"\$\{(\w+):\+([^}]*)\}")

Service = dict[str, Any]


def filled_in() -> dict[str, Any]:
    """Read the file as compose does when no variable is set."""
    text = _WHEN_SET.sub("", _DEFAULTED.sub(lambda found: found[2], TEXT))
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def services() -> dict[str, Service]:
    """Read the services, by name."""
    found: dict[str, Service] = filled_in()["services"]
    return found


def variables() -> dict[str, set[str]]:
    """Find every variable of the file with all the defaults it is given."""
    found: dict[str, set[str]] = {}
    for name, default in _DEFAULTED.findall(TEXT):
        found.setdefault(name, set()).add(default)
    return found
