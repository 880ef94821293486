"""The dashboard *Generator*, which tells whether a run can be believed."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Page, RunChoice, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import ANSWERED, FAILED, OUTCOMES, RUN, Query, quantile, rate
from dashboards.grafana.running import cpu, in_flight

NO_RUN: Final = "no run yet"
OFFERED: Final = "loadgen_offered_total"
DROPPED: Final = "loadgen_dropped_total"
LATENESS: Final = "loadgen_lateness_seconds"
RATE: Final = Field("reqps", no_value=NO_RUN)


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-generator",
        title="Generator",
        question="Was the load offered as modelled, so that this run can be believed?",
        choices=(RunChoice(RUN, "Run"),),
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
        "CPU",
        "The busiest second of the busiest generator process, as a share of one core: a run "
        "whose mean is above 85 % is invalid.",
    )
    field = Field("percentunit", max=1.5, decimals=0, steps=((0.85, "red"),), no_value=NO_RUN)
    query = Query(f"max({RUN.largest('loadgen_cpu_ratio')})", "CPU", instant=True)
    return panels.number(words, field, query)


def _lateness_now() -> Panel:
    words = Words(
        "Lateness p99",
        "How late one request in a hundred was sent, in the whole run: invalid above 20 ms.",
    )
    field = Field("s", steps=((0.02, "red"),), decimals=1, no_value=NO_RUN)
    whole = f"sum by (le) ({RUN.last(LATENESS + '_bucket')})"
    p99 = f"histogram_quantile(0.99, {whole}) >= 0"
    query = Query(p99, "lateness", instant=True)
    return panels.number(words, field, query)


def _lost() -> Panel:
    words = Words(
        "Dropped",
        "Offered requests that were never sent: the queue was full or the deadline passed.",
    )
    field = Field("locale", decimals=0, steps=((0.5, "red"),), no_value=NO_RUN)
    query = Query(f"sum({RUN.last(DROPPED)})", "dropped", instant=True)
    return panels.number(words, field, query)


def _failures() -> Panel:
    words = Words("Failed", "Requests that were sent and got no good answer.")
    field = Field("locale", decimals=0, steps=((0.5, "red"),), no_value=NO_RUN)
    return panels.number(words, field, Query(FAILED, "failed", instant=True))


def _offered() -> Panel:
    words = Words(
        "Offered and achieved",
        "Requests the schedule wanted and good answers, each second; offered is the modelled rate.",
    )
    good = f'{ANSWERED}{{outcome="ok"}}'
    return panels.lines(
        words,
        RATE,
        Query(RUN.during(rate("operation", OFFERED)), "{{operation}} offered"),
        Query(RUN.during(rate("operation", good)), "{{operation}} achieved"),
    )


def _outcomes() -> Panel:
    words = Words(
        "Sent, by outcome", "Requests that were sent, counted when their outcome is known."
    )
    query = Query(OUTCOMES, "{{outcome}}")
    return panels.lines(words, RATE, query, stacked=True)


def _drops() -> Panel:
    words = Words("Dropped by operation", "Offered requests that were never sent, each second.")
    return panels.lines(words, RATE, Query(RUN.during(rate("operation", DROPPED)), "{{operation}}"))


def _lateness() -> Panel:
    words = Words(
        "Lateness of the schedule",
        "How long after its intended instant a request was handed to a connection's queue.",
    )
    field = Field("s", steps=((0.02, "red"),), no_value=NO_RUN)
    return panels.lines(
        words,
        field,
        Query(RUN.during(quantile(0.5, "", LATENESS)), "p50"),
        Query(RUN.during(quantile(0.99, "", LATENESS)), "p99"),
    )
