"""A dashboard as sections of panels, laid out left to right, with what all dashboards share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grafana_foundation_sdk.builders.dashboard import CustomVariable, QueryVariable, TimePicker
from grafana_foundation_sdk.builders.dashboard import Dashboard as DashboardBuilder
from grafana_foundation_sdk.builders.dashboard import DashboardLink as LinkBuilder
from grafana_foundation_sdk.cog.runtime import UnknownDataquery
from grafana_foundation_sdk.models.dashboard import (
    AnnotationQuery,
    Dashboard,
    DashboardCursorSync,
    DashboardLinkType,
    GridPos,
    Panel,
    RowPanel,
    VariableOption,
    VariableRefresh,
    VariableSort,
)

from dashboards.grafana.datasource import grafana, prometheus
from dashboards.grafana.query import Run

# by this tag dashboards link to each other, and runs leave their annotations under it
TAG: Final = "hotboard"
COLUMNS: Final = 24
# as the recorded series of the choices call it
NEWEST: Final = "newest"
REFRESH_CHOICES: Final = ["1s", "2s", "5s", "10s", "30s", "1m"]


@dataclass(frozen=True)
class Place:
    """A panel and the room it takes, in Grafana's grid of 24 columns."""

    panel: Panel
    width: int
    height: int


def row(width: int, height: int, *panels: Panel) -> tuple[Place, ...]:
    """Panels of one size beside each other."""
    return tuple(Place(panel, width, height) for panel in panels)


@dataclass(frozen=True)
class Section:
    """A heading and the panels below it."""

    title: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Choice:
    """A variable a reader sets at the top: its values, of which the first is the default."""

    name: str
    label: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class RunChoice:
    """A variable whose values are the runs in view, by name; it stands at the newest."""

    run: Run
    label: str


@dataclass(frozen=True)
class Page:
    """A dashboard: the one question it answers, its choices and its sections."""

    uid: str
    title: str
    question: str
    sections: tuple[Section, ...]
    choices: tuple[Choice | RunChoice, ...] = ()
    since: str = "now-5m"


def build(page: Page) -> Dashboard:
    """Turn a page into Grafana's classic model."""
    built = (
        DashboardBuilder(page.title)
        .uid(page.uid)
        .description(page.question)
        .tags([TAG])
        .readonly()
        .version(1)
        .time(page.since, "now")
        .refresh("5s")
        .timepicker(TimePicker().refresh_intervals(REFRESH_CHOICES))
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .link(_link())
        .variables([_variable(choice) for choice in page.choices])
        .build()
    )
    built.annotations.list_val = [_runs(), _hot_key()]
    built.panels = list(_laid_out(page.sections))
    return built


def _laid_out(sections: Sequence[Section]) -> list[Panel | RowPanel]:
    placed: list[Panel | RowPanel] = []
    top = 0
    for section in sections:
        heading = GridPos(h=1, w=COLUMNS, x=0, y=top)
        placed.append(RowPanel(title=section.title, grid_pos=heading, id_val=len(placed) + 1))
        top += 1
        left = height = 0
        for place in section.places:
            if left + place.width > COLUMNS:
                left, top, height = 0, top + height, 0
            place.panel.id_val = len(placed) + 1
            place.panel.grid_pos = GridPos(h=place.height, w=place.width, x=left, y=top)
            placed.append(place.panel)
            left, height = left + place.width, max(height, place.height)
        top += height
    return placed


def _variable(choice: Choice | RunChoice) -> CustomVariable | QueryVariable:
    if isinstance(choice, RunChoice):
        return _runs_in_view(choice)
    options = [
        VariableOption(selected=value == choice.values[0], text=value, value=value)
        for value in choice.values
    ]
    return (
        CustomVariable(choice.name)
        .label(choice.label)
        .values(",".join(choice.values))
        .options(options)
        .current(options[0])
    )


def _runs_in_view(choice: RunChoice) -> QueryVariable:
    query = f"label_values({choice.run.choices}, choice)"
    return (
        QueryVariable(choice.run.variable)
        .label(choice.label)
        .datasource(prometheus())
        .query({"query": query, "refId": "runs"})
        .definition(query)
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        # `newest` comes before what begins with a digit
        .sort(VariableSort.ALPHABETICAL_DESC)
        .current(VariableOption(selected=True, text=NEWEST, value=NEWEST))
    )


def _link() -> LinkBuilder:
    return (
        LinkBuilder("Dashboards")
        .type(DashboardLinkType.DASHBOARDS)
        .tags([TAG])
        .keep_time(True)
        .icon("external link")
    )


def _runs() -> AnnotationQuery:
    return AnnotationQuery(
        name="Runs",
        datasource=grafana(),
        enable=True,
        icon_color="blue",
        target=UnknownDataquery({"limit": 100, "matchAny": False, "tags": [TAG], "type": "tags"}),
    )


def _hot_key() -> AnnotationQuery:
    return AnnotationQuery(
        name="Hot key alert",
        datasource=prometheus(),
        enable=True,
        icon_color="red",
        expr='ALERTS{alertname="HotKey",alertstate="firing"}',
        step="5s",
        title_format="Hot key",
        text_format="{{key}} takes more than 2.5 times its fair share of the writes",
    )
