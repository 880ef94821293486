"""The dashboard *Odometer*: one total that everybody reads, and what that costs."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Page, RunChoice, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import RUN, Query, rate

NO_LEDGER: Final = "no ledger"
NO_EVENT: Final = "no event yet"
READS: Final = "odometer_reads_total"
DELIVERIES: Final = "odometer_deliveries_total"
DRIFT: Final = "max(odometer_drift)"
# 0 stands for no event, whose total cannot be old
AGE: Final = "time() - min(odometer_total_as_of_timestamp_seconds > 0)"
OLD: Final = ((3, "orange"), (10, "red"))
WRONG: Final = ((0.5, "red"),)
RATE: Final = Field("reqps", decimals=1, no_value=NO_LEDGER)
POLLED: Final = Field("reqps", decimals=1, no_value="no polls yet")


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-odometer",
        title="Odometer",
        choices=(RunChoice(RUN, "Run"),),
        question="What does one total that everybody reads cost, and is it right?",
        sections=(
            Section(
                "Is the hot key read often, and is the total right?",
                row(6, 5, _polls_now(), _reads_now(), _age_now(), _off()),
            ),
            Section(
                "Polls, and what answers them",
                row(8, 9, _sources(), _hot_key(), _age()),
            ),
            Section(
                "Deliveries",
                row(8, 9, _outcomes(), _not_counted(), _drift()),
            ),
        ),
    )


def _polls_now() -> Panel:
    words = Words("Polls", "Answered reads of a community total, each second, the run's mean.")
    return panels.number(
        words, RATE, Query(RUN.over("avg", rate("", READS)), "polls", instant=True)
    )


def _reads_now() -> Panel:
    words = Words(
        "Redis reads of the total",
        "Polls answered by reading its key, each second: all of them in `direct`, and at most "
        "workers / refresh interval in `projected`.",
    )
    return panels.number(words, RATE, Query(RUN.over("avg", _redis()), "reads", instant=True))


def _age_now() -> Panel:
    words = Words(
        "Age of the totals", "How long ago the totals in Redis had been read in the ledger at most."
    )
    field = Field("s", decimals=1, steps=OLD, no_value=NO_EVENT)
    return panels.number(words, field, Query(RUN.over("max", AGE), "age", instant=True))


def _off() -> Panel:
    words = Words(
        "Drift",
        "How far totals and contributions were from the lake at most, in units: 0 is the promise.",
    )
    field = Field("locale", decimals=0, steps=WRONG, no_value=NO_LEDGER)
    return panels.number(
        words, field, Query("max(max_over_time(odometer_drift[$__range]))", "drift", instant=True)
    )


def _sources() -> Panel:
    words = Words(
        "Polls by source",
        "Polls each second by where the answer came from: the worker's own copy, Redis, or the "
        "ledger while Redis has no usable copy.",
    )
    return panels.lines(
        words, POLLED, Query(f"{RUN.during(rate('source', READS))} > 0", "{{source}}"), stacked=True
    )


def _hot_key() -> Panel:
    words = Words(
        "Polls beside reads of the key", "Everybody polls one total; its key need not notice."
    )
    return panels.lines(
        words,
        RATE,
        Query(RUN.during(rate("", READS)), "polls"),
        Query(RUN.during(_redis()), "Redis reads of the total"),
    )


def _age() -> Panel:
    words = Words(
        "Age over time", "How long ago the totals in Redis were read in the ledger, at each moment."
    )
    field = Field("s", steps=OLD, no_value=NO_EVENT)
    return panels.lines(words, field, Query(RUN.during(AGE), "age"))


def _outcomes() -> Panel:
    words = Words("Deliveries by outcome", "Delivered races each second, by what became of them.")
    query = Query(f"{RUN.during(rate('outcome', DELIVERIES))} > 0", "{{outcome}}")
    return panels.lines(words, Field("ops", no_value="no deliveries yet"), query, stacked=True)


def _not_counted() -> Panel:
    words = Words(
        "Not counted",
        "Deliveries each second that left the total alone: repeated, in conflict with an earlier "
        "one, outside the window, after the end, or no race at all.",
    )
    other = f'{DELIVERIES}{{outcome!="counted"}}'
    query = Query(RUN.during(rate("outcome", other)), "{{outcome}}")
    return panels.lines(words, Field("ops", no_value=NO_LEDGER), query)


def _drift() -> Panel:
    words = Words(
        "Drift over time", "How far totals and contributions are from the lake, in units."
    )
    field = Field("short", steps=WRONG, no_value=NO_LEDGER)
    return panels.lines(words, field, Query(DRIFT, "drift"))


def _redis() -> str:
    return rate("", f'{READS}{{source="redis"}}')
