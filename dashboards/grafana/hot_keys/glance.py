"""What a user sees first: how hot the hottest key is, in which mode, at what rate, how fast."""

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import ACHIEVED_RATIO, EFFECTIVE, LATENCY_NOW, SHARE, Field
from dashboards.grafana.fields import HEAT as HEAT_FIELD
from dashboards.grafana.page import Place, Section
from dashboards.grafana.panels import Words
from dashboards.grafana.query import (
    ACHIEVED,
    EFFECTIVE_KEYS,
    HEAT,
    HOTTEST_SHARE,
    OPERATION_P99,
    RUN,
    Query,
)


def section() -> Section:
    """Lay the numbers out in one row."""
    return Section(
        "At a glance",
        (
            Place(_mode(), 5, 4),
            Place(_hottest(), 4, 4),
            Place(_heat(), 3, 4),
            Place(_effective(), 3, 4),
            Place(_achieved(), 4, 4),
            Place(_p99(), 5, 4),
        ),
    )


def _hottest() -> Panel:
    words = Words(
        "Hottest write share",
        "The share of all writes (members written) that the busiest key takes, over 10 s.",
    )
    series = f'{HOTTEST_SHARE}{{op="write"}}'
    return panels.number(words, SHARE, Query(RUN.last(series), "{{mode}}", instant=True))


def _heat() -> Panel:
    words = Words(
        "Its heat",
        "Its share of the writes over the fair share: 1 is level, from 2.5 on the alert fires.",
    )
    series = f'{HEAT}{{op="write"}}'
    query = f"max by (mode) ({RUN.last(series)})"
    return panels.number(words, HEAT_FIELD, Query(query, "{{mode}}", instant=True))


def _effective() -> Panel:
    words = Words(
        "Effective keys",
        "As many evenly loaded keys would be as uneven (1 / Σ share²): 1 is hot, all is level.",
    )
    series = f'{EFFECTIVE_KEYS}{{op="write"}}'
    return panels.number(words, EFFECTIVE, Query(RUN.last(series), "{{mode}}", instant=True))


def _mode() -> Panel:
    words = Words("Mode", "How the service kept its boards in the run that is shown.")
    query = Query(RUN.chosen, "{{mode}}", instant=True)
    return panels.name(words, Field("none", no_value="no run yet"), query)


def _achieved() -> Panel:
    words = Words(
        "Achieved of modelled",
        "Good answers for each offered request, over 10 s; offered is the rate of the model.",
    )
    return panels.number(words, ACHIEVED_RATIO, Query(RUN.last(ACHIEVED), "{{mode}}", instant=True))


def _p99() -> Panel:
    words = Words(
        "p99 in the service",
        "The service's own 99th percentile of good answers, over 10 s; clients wait longer.",
    )
    return panels.number(
        words, LATENCY_NOW, Query(RUN.last(OPERATION_P99), "{{route}}", instant=True)
    )
