"""Committed dashboards: what the code writes, and what the SDK understands."""

from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from dashboards.grafana.catalogue import PAGES
from dashboards.grafana.encode import document
from dashboards.grafana.files import CHECKOUT, DOCS_PAGE, JSON_FOLDER, generated

Documents = dict[str, dict[str, Any]]


@pytest.fixture(autouse=True, scope="module")
def _sdk_knows_panels() -> None:
    """Let the SDK read panels' options as what they are, and not as any mapping."""
    register_default_plugins()


@pytest.mark.parametrize("path", sorted(generated()), ids=str)
def test_committed_file_is_what_the_code_generates(path: Path) -> None:
    """Each JSON file and the docs page is committed as the code writes it now."""
    committed = (CHECKOUT / path).read_text(encoding="utf-8")

    assert generated()[path] == committed, "run `python -m dashboards.grafana` and commit"


def test_no_other_file_is_provisioned() -> None:
    """A dashboard that no code generates any more is not left in the folder."""
    committed = {path.relative_to(CHECKOUT) for path in (CHECKOUT / JSON_FOLDER).iterdir()}

    assert set(generated()) - {DOCS_PAGE} == committed


def test_sdk_reads_every_document_back(documents: Documents) -> None:
    """Read by the SDK and written again, a document is the same, at any depth."""
    for name, committed in documents.items():
        assert document(Dashboard.from_json(committed)) == committed, name


def test_round_trip_finds_a_key_that_grafana_does_not_have(documents: Documents) -> None:
    """The round trip above would notice an invented option of a panel."""
    broken = documents["hot-keys.json"]
    panel = next(p for p in broken["panels"] if p["type"] == "stat")
    invented = {**broken, "panels": [{**panel, "options": {**panel["options"], "colour": "red"}}]}

    assert document(Dashboard.from_json(invented)) != invented


def test_issue_asks_for_three_dashboards() -> None:
    """The dashboards a leaderboard run needs are there, by name."""
    titles = [page().title for page in PAGES]

    assert ["Hot keys", "Naive against partitioned", "Generator"] == titles[:3]


def test_docs_page_lists_every_query(documents: Documents) -> None:
    """A reviewer finds each panel's query, word for word."""
    page = (CHECKOUT / DOCS_PAGE).read_text(encoding="utf-8")
    missing = [
        target["expr"]
        for dashboard in documents.values()
        for panel in dashboard["panels"]
        for target in panel.get("targets", [])
        if target["expr"] not in page
    ]

    assert [] == missing
