"""The docs page that lists the query behind each panel, each recorded series and each alert."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from dashboards.grafana.encode import Document

RECORDED: Final = """\
## Recorded series

Prometheus works these out every second (`dashboards/prometheus/rules/`); panels read them by name.
"""

ALERTS: Final = """\
## Alerts

Prometheus shows them under `/alerts`; nothing is sent anywhere.
"""


def describe(
    introduction: str, documents: Iterable[Document], rules: Sequence[Mapping[str, Any]]
) -> str:
    """Write the page about dashboards and rules."""
    parts = [introduction]
    for dashboard in documents:
        parts.append(f"## {dashboard['title']}\n\n{dashboard['description']}\n")
        parts.extend(_panels(dashboard))
    parts.append(RECORDED)
    parts.extend(_rule(rule["record"], rule) for rule in rules if "record" in rule)
    parts.append(ALERTS)
    parts.extend(_alert(rule) for rule in rules if "alert" in rule)
    return "\n".join(parts)


def _panels(dashboard: Document) -> Iterator[str]:
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            continue
        unit = panel["fieldConfig"]["defaults"]["unit"]
        yield f"### {panel['title']}\n\n{panel['description']} Unit: `{unit}`.\n"
        for target in panel["targets"]:
            yield _code(f"# {target['refId']}: {target['legendFormat']}\n{target['expr']}")


def _rule(name: str, rule: Mapping[str, Any]) -> str:
    labels = "".join(f" `{key}={value}`" for key, value in rule.get("labels", {}).items())
    return f"### `{name}`{labels}\n\n{_code(rule['expr'].strip())}"


def _alert(rule: Mapping[str, Any]) -> str:
    lasting = f" Fires after {rule['for']}." if "for" in rule else ""
    return f"{_rule(rule['alert'], rule)}\n{rule['annotations']['description']}{lasting}\n"


def _code(query: str) -> str:
    return f"```promql\n{query}\n```\n"
