"""The dashboard *Generator*, which tells whether a run can be believed."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Page, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import Query, last, quantile, rate
from dashboards.grafana.running import cpu, in_flight

NO_RUN: Final = "no run yet"
OFFERED: Final = "loadgen_offered_total"
ANSWERED: Final = "loadgen_requests_total"
DROPPED: Final = "loadgen_dropped_total"
LATENESS: Final = "loadgen_lateness_seconds"
RATE: Final = Field("reqps", no_value=NO_RUN)


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-generator",
        title="Generator",
        question="Was the load offered as modelled, so that this run can be believed?",
        sections=(
            Section(
                "Can this run be believed?",
                row(6, 5, _cpu_now(), _lateness_now(), _lost(), _failures()),
            ),
            Section(
                "Offered and answered",
                row(8, 9, _offered(), _outcomes(), _drops()),
            ),
            Section(
                "The schedule",
                row(8, 9, _lateness(), cpu(), in_flight()),
            ),
        ),
    )


def _cpu_now() -> Panel:
    words = Words(
        "CPU", "The busiest generator process, as a share of one core: invalid above 85 %."
    )
    field = Field("percentunit", max=1.5, decimals=0, steps=((0.85, "red"),), no_value=NO_RUN)
    query = Query(f"max({last('loadgen_cpu_ratio')})", "CPU", instant=True)
    return panels.number(words, field, query)


def _lateness_now() -> Panel:
    words = Words(
        "Lateness p99",
        "How late one request in a hundred was sent, over 10 s: invalid above 20 ms.",
    )
    field = Field("s", steps=((0.02, "red"),), decimals=1, no_value=NO_RUN)
    query = Query(last("loadgen_lateness_seconds:p99"), "lateness", instant=True)
    return panels.number(words, field, query)


def _lost() -> Panel:
    words = Words(
        "Dropped",
        "Offered requests in view that were never sent: the queue was full or the deadline passed.",
    )
    field = Field("short", decimals=0, steps=((0.5, "red"),), no_value=NO_RUN)
    query = Query(f"sum(increase({DROPPED}[$__range]))", "dropped", instant=True)
    return panels.number(words, field, query)


def _failures() -> Panel:
    words = Words("Failed", "Requests in view that were sent and got no good answer.")
    field = Field("short", decimals=0, steps=((0.5, "red"),), no_value=NO_RUN)
    # an outcome that never happened may have no series: then the answer is 0, not nothing
    failed = f'sum(increase({ANSWERED}{{outcome!="ok"}}[$__range]))'
    none = f"0 * sum(increase({ANSWERED}[$__range]))"
    return panels.number(words, field, Query(f"{failed} or {none}", "failed", instant=True))


def _offered() -> Panel:
    words = Words(
        "Offered and achieved",
        "Requests the schedule wanted and good answers, each second; offered is the modelled rate.",
    )
    return panels.lines(
        words,
        RATE,
        Query(rate("operation", OFFERED), "{{operation}} offered"),
        Query(rate("operation", f'{ANSWERED}{{outcome="ok"}}'), "{{operation}} achieved"),
    )


def _outcomes() -> Panel:
    words = Words(
        "Sent, by outcome", "Requests that were sent, counted when their outcome is known."
    )
    query = Query(rate("outcome", ANSWERED), "{{outcome}}")
    return panels.lines(words, RATE, query, stacked=True)


def _drops() -> Panel:
    words = Words("Dropped by operation", "Offered requests that were never sent, each second.")
    return panels.lines(words, RATE, Query(rate("operation", DROPPED), "{{operation}}"))


def _lateness() -> Panel:
    words = Words(
        "Lateness of the schedule",
        "How long after its intended instant a request was handed to a connection's queue.",
    )
    field = Field("s", steps=((0.02, "red"),), no_value=NO_RUN)
    return panels.lines(
        words,
        field,
        Query(quantile(0.5, "", LATENESS), "p50"),
        Query(quantile(0.99, "", LATENESS), "p99"),
    )
