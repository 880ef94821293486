"""What several tests of the dashboards need: Prometheus' programs and the committed documents."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dashboards.grafana.files import CHECKOUT, JSON_FOLDER
from dashboards.prometheus.programs import program


@pytest.fixture(scope="session")
def promtool() -> Path:
    """Find promtool, or fail with the sentence that says how to get it."""
    return program("promtool", os.environ)


@pytest.fixture(scope="session")
def prometheus() -> Path:
    """Find prometheus, or fail with the sentence that says how to get it."""
    return program("prometheus", os.environ)


@pytest.fixture(scope="session")
def documents() -> dict[str, dict[str, Any]]:
    """Read the committed dashboards, by file name."""
    files = sorted((CHECKOUT / JSON_FOLDER).glob("*.json"))
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in files}
