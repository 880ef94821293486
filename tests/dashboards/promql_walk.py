"""Reading PromQL for tests: Grafana's variables filled in, selectors found where they stand."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser
import yaml

from dashboards.datacheck.filling import fill, window
from dashboards.grafana.files import CHECKOUT, RULES_FOLDER


@dataclass(frozen=True)
class Selector:
    """A metric as a query reads it, and the function around its window, if it has one."""

    metric: str
    labels: frozenset[str]
    function: str | None


def filled(expr: str, document: dict[str, Any]) -> str:
    """Fill in what Grafana would at the document's own range and choices."""
    variables = {v["name"]: v["current"]["value"] for v in document["templating"].get("list", [])}
    return fill(expr, {**variables, **window(document["time"]["from"], 12).variables()})


def selectors(expr: str) -> list[Selector]:
    """List every selector of an expression."""
    reader = _Reader([])
    promql_parser.walk(promql_parser.parse(expr), pre_visit=reader.visit)
    return reader.found


@dataclass
class _Reader:
    """Depth first, a window comes right after the function it is given to, its metric after it."""

    found: list[Selector]
    function: str | None = None
    in_window: bool = False

    def visit(self, node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.Call):
            self.function = node.func.name
        elif isinstance(node, promql_parser.MatrixSelector):
            self.in_window = True
        elif isinstance(node, promql_parser.VectorSelector):
            labels = frozenset(matcher.name for matcher in node.matchers.matchers)
            function = self.function if self.in_window else None
            self.found.append(Selector(node.name or "", labels, function))
            self.in_window = False


def panel_queries(documents: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """List every panel's queries, filled in, with where they stand."""
    for document in documents.values():
        for panel in document["panels"]:
            for target in panel.get("targets", []):
                where = f"{document['title']} / {panel['title']} / {target['refId']}"
                yield where, filled(target["expr"], document)


def rules() -> list[dict[str, Any]]:
    """Read every rule, recorded or alert."""
    return [
        rule
        for path in sorted((CHECKOUT / RULES_FOLDER).glob("*.yml"))
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]
