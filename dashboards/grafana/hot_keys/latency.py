"""What the load does to latency: by operation, by key, and as a whole distribution."""

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import LATENCY, Field
from dashboards.grafana.page import Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import GOOD, HTTP_SECONDS, KEY_SECONDS, RUN, Query, quantile, rate


def section() -> Section:
    """Lay the three out in one row."""
    return Section(
        "Latency",
        row(8, 10, _by_operation(), _by_key(), _distribution()),
    )


def _by_operation() -> Panel:
    words = Words(
        "Latency by operation",
        "Median and 99th percentile of good answers, measured in the service.",
    )
    return panels.lines(
        words,
        LATENCY,
        Query(RUN.during(quantile(0.5, "route", HTTP_SECONDS, GOOD)), "{{route}} p50"),
        Query(RUN.during(quantile(0.99, "route", HTTP_SECONDS, GOOD)), "{{route}} p99"),
    )


def _by_key() -> Panel:
    words = Words(
        "Redis p99 by key",
        "The 99th percentile of Redis calls on each key; calls in one pipeline share its time.",
    )
    query = Query(RUN.during(quantile(0.99, "key", KEY_SECONDS, 'op="$op"')), "{{key}}")
    return panels.lines(words, LATENCY, query)


def _distribution() -> Panel:
    words = Words(
        "Latency of $operation",
        "How the answers of the chosen operation spread over the buckets, measured in the service.",
    )
    buckets = f'{HTTP_SECONDS}_bucket{{route="$operation"}}'
    field = Field("reqps", no_value="not in this load")
    return panels.heat(words, field, Query(RUN.during(rate("le", buckets)), "{{le}}"))
