"""What the dashboards' JSON files ask of Prometheus: one question for each target of each panel."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dashboards.datacheck.bounds import Bounds, bounds_of

FOLDER: Final = Path(__file__).resolve().parents[1] / "grafana" / "json"

# What a panel says of something that need not happen: a sound run may leave it empty.
NEED_NOT_HAPPEN: Final = frozenset(
    {
        "merged on request",
        "no deliveries yet",
        "no event yet",
        "no members yet",
        "no polls yet",
        "no sweep yet",
    }
)

_LABEL: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_MODE: Final = re.compile(r'\bmode="([^"]+)"')


@dataclass(frozen=True)
class Variable:
    """A choice at the top of a dashboard: its values and the one that is set."""

    name: str
    values: tuple[str, ...]
    current: str


@dataclass(frozen=True)
class Question:
    """One target of one panel, with what its answer must look like."""

    dashboard: str
    panel: str
    ref_id: str
    expr: str
    instant: bool
    width: int
    labels: frozenset[str]
    bounds: Bounds
    may_be_empty: bool

    @property
    def where(self) -> str:
        """Name the question as a reader finds it."""
        return f"{self.dashboard} / {self.panel} / {self.ref_id}"

    @property
    def mode(self) -> str | None:
        """Name the only mode this question can be answered in, if it is about one."""
        found = _MODE.search(self.expr)
        return found[1] if found else None


@dataclass(frozen=True)
class Dashboard:
    """A dashboard as far as its data goes."""

    title: str
    since: str
    panels: int
    variables: tuple[Variable, ...]
    questions: tuple[Question, ...]


def read(folder: Path = FOLDER) -> list[Dashboard]:
    """Read every dashboard of a folder."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.json"))]
    return [dashboard(json.loads(text)) for text in texts]


def dashboard(document: Mapping[str, Any]) -> Dashboard:
    """Take the questions out of a dashboard's document."""
    panels = [panel for panel in document["panels"] if panel["type"] != "row"]
    title = document["title"]
    return Dashboard(
        title=title,
        since=document["time"]["from"],
        panels=len(panels),
        variables=tuple(_variables(document["templating"].get("list", []))),
        questions=tuple(question for panel in panels for question in _questions(title, panel)),
    )


def _variables(variables: Sequence[Mapping[str, Any]]) -> Iterator[Variable]:
    for variable in variables:
        current = variable["current"]["value"]
        match variable["type"]:
            case "custom":
                values = tuple(option["value"] for option in variable["options"])
            case "query":
                # a run by its name is asked for as the newest is
                values = (current,)
            case other:
                raise ValueError(
                    "The data check fills in custom and query variables, not "
                    f"{other} variables such as {variable['name']}."
                )
        yield Variable(variable["name"], values, current)


def _questions(title: str, panel: Mapping[str, Any]) -> Iterator[Question]:
    for target in panel["targets"]:
        yield Question(
            dashboard=title,
            panel=panel["title"],
            ref_id=target["refId"],
            expr=target["expr"],
            instant=target["instant"],
            width=panel["gridPos"]["w"],
            labels=frozenset(_LABEL.findall(target["legendFormat"])),
            bounds=bounds_of(panel, target),
            may_be_empty=panel["fieldConfig"]["defaults"]["noValue"] in NEED_NOT_HAPPEN,
        )
