"""What a user sees first: how hot the hottest key is, in which mode, at what rate, how fast."""

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import ACHIEVED_RATIO, EFFECTIVE, LATENCY_NOW, SHARE, Field
from dashboards.grafana.page import Place, Section
from dashboards.grafana.panels import Words
from dashboards.grafana.query import (
    ACHIEVED,
    EFFECTIVE_KEYS,
    HOTTEST_SHARE,
    OPERATION_P99,
    Query,
    newest,
)


def section() -> Section:
    """Lay the numbers out in one row."""
    return Section(
        "At a glance",
        (
            Place(_hottest(), 5, 5),
            Place(_effective(), 4, 5),
            Place(_mode(), 4, 5),
            Place(_achieved(), 5, 5),
            Place(_p99(), 6, 5),
        ),
    )


def _hottest() -> Panel:
    words = Words(
        "Hottest write share",
        "The share of all writes (members written) that the busiest key takes, over 10 s.",
    )
    series = f'{HOTTEST_SHARE}{{op="write"}}'
    return panels.number(words, SHARE, Query(newest(series), "{{mode}}", instant=True))


def _effective() -> Panel:
    words = Words(
        "Effective keys",
        "As many evenly loaded keys would be as uneven (1 / Σ share²): 1 is hot, 12 is level.",
    )
    series = f'{EFFECTIVE_KEYS}{{op="write"}}'
    return panels.number(words, EFFECTIVE, Query(newest(series), "{{mode}}", instant=True))


def _mode() -> Panel:
    words = Words("Mode", "How the service that is scraped now keeps its boards.")
    query = Query("max by (mode) (leaderboard_info)", "{{mode}}", instant=True)
    return panels.name(words, Field("none", no_value="no service"), query)


def _achieved() -> Panel:
    words = Words(
        "Achieved of modelled",
        "Good answers for each offered request, over 10 s; offered is the rate of the model.",
    )
    return panels.number(words, ACHIEVED_RATIO, Query(newest(ACHIEVED), "{{mode}}", instant=True))


def _p99() -> Panel:
    words = Words(
        "p99 in the service",
        "The service's own 99th percentile of good answers, over 10 s; clients wait longer.",
    )
    return panels.number(
        words, LATENCY_NOW, Query(newest(OPERATION_P99), "{{route}}", instant=True)
    )
