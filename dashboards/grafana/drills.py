"""The dashboard *Drills*, which shows what a fault does and how soon it is over."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Page, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import GOOD, HTTP_SECONDS, LOAD, Query, quantile, rate

NO_LEDGER: Final = "no ledger"
WRITES: Final = "leaderboard_writes_total"
BACKLOG: Final = "max(leaderboard_projection_backlog)"
# 0 stands for nothing waiting, which is as fresh as can be
WAITING: Final = (
    "max((time() - leaderboard_projection_oldest_timestamp_seconds)"
    " * (leaderboard_projection_oldest_timestamp_seconds > bool 0))"
)
TOP_AGE: Final = (
    "(time() - max(leaderboard_topk_as_of_timestamp_seconds)) or 0 * max(leaderboard_partitions)"
)
LATE: Final = ((1, "orange"), (10, "red"))
RATE: Final = Field("reqps", no_value="no answers")


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-drills",
        title="Drills",
        question="What does a fault do to writes and reads, and how soon is it over?",
        sections=(
            Section(
                "Is anything behind?",
                row(6, 5, _backlog_now(), _waiting_now(), _top(), _replays()),
            ),
            Section(
                "The ranking behind the ledger",
                row(8, 9, _backlog(), _freshness(), _replayed()),
            ),
            Section(
                "What clients were answered",
                row(8, 9, _writes(), _answers(), _latency()),
            ),
        ),
    )


def _backlog_now() -> Panel:
    words = Words("Backlog", "Accepted changes that Redis should have by now and may not have.")
    field = Field("short", decimals=0, steps=((0.5, "red"),), no_value=NO_LEDGER)
    return panels.number(words, field, Query(BACKLOG, "backlog", instant=True))


def _waiting_now() -> Panel:
    words = Words("Oldest waiting", "How long the oldest change of the backlog has waited.")
    field = Field("s", decimals=1, steps=LATE, no_value=NO_LEDGER)
    return panels.number(words, field, Query(WAITING, "oldest", instant=True))


def _top() -> Panel:
    words = Words(
        "Age of the top K", "How old the materialised top K is; 0 while it is merged on request."
    )
    field = Field("s", decimals=1, steps=LATE, no_value="no data")
    return panels.number(words, field, Query(TOP_AGE, "top K", instant=True))


def _replays() -> Panel:
    words = Words("Replayed", "Changes in view that reached Redis later than their own request.")
    field = Field("short", decimals=0, no_value=NO_LEDGER)
    query = "sum(increase(leaderboard_projection_replayed_total[$__range]))"
    return panels.number(words, field, Query(query, "replayed", instant=True))


def _backlog() -> Panel:
    words = Words(
        "Backlog over time", "Accepted changes that Redis should have by now and may not have."
    )
    return panels.lines(words, Field("short", no_value=NO_LEDGER), Query(BACKLOG, "changes"))


def _freshness() -> Panel:
    words = Words(
        "Freshness", "The age of the oldest change that waits, and of the materialised top K."
    )
    return panels.lines(
        words,
        Field("s", no_value=NO_LEDGER),
        Query(WAITING, "oldest change waiting"),
        Query(TOP_AGE, "top K"),
    )


def _replayed() -> Panel:
    words = Words("Replays", "Changes each second that reached Redis later than their own request.")
    query = Query(rate("", "leaderboard_projection_replayed_total"), "replayed")
    return panels.lines(words, Field("ops", no_value=NO_LEDGER), query)


def _writes() -> Panel:
    words = Words("Writes by status", "Score events each second, by what became of them.")
    query = Query(rate("status", WRITES), "{{status}}")
    return panels.lines(words, Field("ops", no_value="no writes"), query, stacked=True)


def _answers() -> Panel:
    words = Words("Answers by code", "Answers of the service each second, by HTTP status.")
    query = Query(rate("code", f"{HTTP_SECONDS}_count{{{LOAD}}}"), "{{code}}")
    return panels.lines(words, RATE, query, stacked=True)


def _latency() -> Panel:
    words = Words("p99 by operation", "Good answers, measured in the service.")
    query = Query(quantile(0.99, "route", HTTP_SECONDS, GOOD), "{{route}}")
    return panels.lines(words, Field("s", no_value="no answers"), query)
