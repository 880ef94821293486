"""Grafana's classic JSON of a dashboard, without what only the SDK still knows."""

import json
from typing import Any, Final, TypeAlias

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

Document: TypeAlias = dict[str, Any]

# of interval variables and of tables before Grafana 12
VARIABLE_LEFTOVERS: Final = ("auto", "auto_min", "auto_count")
TABLE_LEFTOVERS: Final = ("footer",)


def document(dashboard: Dashboard) -> Document:
    """Turn a dashboard into the JSON document that is provisioned."""
    encoded: Document = json.loads(JSONEncoder().encode(dashboard))
    for variable in encoded["templating"].get("list", []):
        _drop(variable, VARIABLE_LEFTOVERS)
    for panel in encoded["panels"]:
        if panel["type"] == "table":
            _drop(panel["options"], TABLE_LEFTOVERS)
    return encoded


def text(document: Document) -> str:
    """Write a document as it is committed: sorted, so that a change shows as what it is."""
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _drop(mapping: Document, keys: tuple[str, ...]) -> None:
    for key in keys:
        mapping.pop(key, None)
