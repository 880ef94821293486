"""Every dashboard and every panel's query, asked of a Grafana that runs."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dashboards.datacheck.filling import fill, window
from dashboards.datacheck.questions import FOLDER, Dashboard, Question, dashboard
from dashboards.grafanacheck.api import GrafanaApi, GrafanaRefused

SOURCE_UID: Final = "prometheus"
# Grafana fills these in by itself, from the interval it is given.
_ITS_OWN: Final = {name: f"${name}" for name in ("__interval", "__rate_interval", "__range")}


@dataclass
class Found:
    """What came of one dashboard: its queries by how they were answered."""

    title: str
    uid: str
    answered: int = 0
    without_data: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def check_dashboards(api: GrafanaApi, folder: Path = FOLDER) -> list[Found]:
    """Look for every dashboard of this checkout, and put its queries."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json"))]
    return [_dashboard(api, json.loads(text)) for text in texts]


def _dashboard(api: GrafanaApi, document: Mapping[str, Any]) -> Found:
    ours = dashboard(document)
    found = Found(ours.title, document["uid"])
    try:
        theirs = api.dashboard(found.uid)
    except GrafanaRefused as error:
        found.problems.append(f"not found: {error}")
        return found
    if _titles(theirs) != _titles(document):
        found.problems.append("its panels are not those of this checkout: was it reloaded?")
    for question in ours.questions:
        _ask(api, ours, question, found)
    return found


def _ask(api: GrafanaApi, ours: Dashboard, question: Question, found: Found) -> None:
    covered = window(ours.since, question.width)
    chosen = {variable.name: variable.current for variable in ours.variables}
    query = {
        "refId": question.ref_id,
        "datasource": {"type": "prometheus", "uid": SOURCE_UID},
        "expr": fill(question.expr, chosen | _ITS_OWN),
        "instant": question.instant,
        "range": not question.instant,
        "intervalMs": covered.step_seconds * 1000,
        "maxDataPoints": covered.range_seconds // covered.step_seconds,
    }
    now_ms = round(time.time() * 1000)
    try:
        values = api.values(query, now_ms - covered.range_seconds * 1000, now_ms)
    except GrafanaRefused as error:
        found.problems.append(f"{question.panel} / {question.ref_id} was refused: {error}")
        return
    found.answered += 1
    if not values and not question.may_be_empty:
        found.without_data.append(question.panel)


def _titles(document: Mapping[str, Any]) -> list[str]:
    return [str(panel.get("title")) for panel in document.get("panels", [])]
