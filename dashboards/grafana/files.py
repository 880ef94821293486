"""The files that are generated from the dashboards' code, and where they are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from dashboards.grafana.catalogue import PAGES, file_name
from dashboards.grafana.describe import describe
from dashboards.grafana.encode import document, text
from dashboards.grafana.page import build

CHECKOUT: Final = Path(__file__).resolve().parents[2]
JSON_FOLDER: Final = Path("dashboards/grafana/json")
DOCS_PAGE: Final = Path("docs/dashboards.md")
INTRODUCTION: Final = Path("dashboards/grafana/introduction.md")
RULES_FOLDER: Final = Path("dashboards/prometheus/rules")


def generated(checkout: Path = CHECKOUT) -> dict[Path, str]:
    """Work out every generated file, by its path in the checkout."""
    pages = [page() for page in PAGES]
    documents = {file_name(page): document(build(page)) for page in pages}
    files = {JSON_FOLDER / name: text(content) for name, content in documents.items()}
    introduction = (checkout / INTRODUCTION).read_text(encoding="utf-8")
    rules = _rules(checkout / RULES_FOLDER)
    return files | {DOCS_PAGE: describe(introduction, documents.values(), rules)}


def _rules(folder: Path) -> list[Mapping[str, Any]]:
    groups = [
        group
        for path in sorted(folder.glob("*.yml"))
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
    ]
    return [rule for group in groups for rule in group["rules"]]
