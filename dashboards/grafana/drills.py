"""The dashboard *Drills*, which shows what a fault does and how soon it is over."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Page, RunChoice, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import (
    FAILED,
    GOOD,
    HTTP_SECONDS,
    LOAD,
    OUTCOMES,
    RUN,
    Query,
    quantile,
    rate,
    rise,
)

NO_LEDGER: Final = "no ledger"
MERGED: Final = "merged on request"
WRITES: Final = "leaderboard_writes_total"
BACKLOG: Final = "max(leaderboard_projection_backlog)"
# nothing waits while the oldest is 0
WAITING: Final = (
    "time() - min(leaderboard_projection_oldest_timestamp_seconds > 0)"
    " or 0 * max(leaderboard_projection_backlog)"
)
TOP_AGE: Final = "time() - max(leaderboard_topk_as_of_timestamp_seconds)"
REPLAYED: Final = "leaderboard_projection_replayed_total"
LATE: Final = ((1, "orange"), (10, "red"))
RATE: Final = Field("reqps", no_value="no answers")


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-drills",
        title="Drills",
        question="What does a fault do to writes and reads, and how soon is it over?",
        choices=(RunChoice(RUN, "Run"),),
        sections=(
            Section(
                "How bad was it?",
                row(4, 5, _failed())
                + row(5, 5, _worst_backlog(), _longest_wait(), _oldest_top(), _replays()),
            ),
            Section(
                "What clients saw",
                row(24, 9, _outcomes()),
            ),
            Section(
                "What the service answered",
                row(8, 8, _writes(), _answers(), _latency()),
            ),
            Section(
                "The ranking behind the ledger",
                row(6, 8, _backlog(), _waiting(), _top(), _replayed()),
            ),
        ),
    )


def _failed() -> Panel:
    words = Words("Failed", "Requests of the run that were sent and got no good answer.")
    field = Field("locale", decimals=0, steps=((0.5, "red"),), no_value="no run yet")
    return panels.number(words, field, Query(FAILED, "failed", instant=True))


def _worst_backlog() -> Panel:
    words = Words(
        "Largest backlog",
        "The most accepted changes at one time that Redis should have had and may not have had.",
    )
    field = Field("locale", decimals=0, steps=((0.5, "red"),), no_value=NO_LEDGER)
    return panels.number(words, field, Query(RUN.over("max", BACKLOG), "backlog", instant=True))


def _longest_wait() -> Panel:
    words = Words("Longest wait", "How long the oldest change of the backlog waited at most.")
    field = Field("s", decimals=1, steps=LATE, no_value=NO_LEDGER)
    return panels.number(words, field, Query(RUN.over("max", WAITING), "oldest", instant=True))


def _oldest_top() -> Panel:
    words = Words(
        "Oldest top K", "How old the materialised top K was at most, where it is materialised."
    )
    field = Field("s", decimals=1, steps=LATE, no_value=MERGED)
    return panels.number(words, field, Query(RUN.over("max", TOP_AGE), "top K", instant=True))


def _replays() -> Panel:
    words = Words("Replayed", "Changes in view that reached Redis later than their own request.")
    field = Field("locale", decimals=0, no_value=NO_LEDGER)
    return panels.number(words, field, Query(rise("", REPLAYED), "replayed", instant=True))


def _backlog() -> Panel:
    words = Words(
        "Backlog over time", "Accepted changes that Redis should have by now and may not have."
    )
    return panels.lines(
        words, Field("short", no_value=NO_LEDGER), Query(RUN.during(BACKLOG), "changes")
    )


def _waiting() -> Panel:
    words = Words("Oldest waiting", "The age of the oldest change that waits; 0 while none does.")
    return panels.lines(
        words, Field("s", no_value=NO_LEDGER), Query(RUN.during(WAITING), "oldest change")
    )


def _top() -> Panel:
    words = Words("Age of the top K", "How old the materialised top K is, at each moment.")
    return panels.lines(words, Field("s", no_value=MERGED), Query(RUN.during(TOP_AGE), "top K"))


def _replayed() -> Panel:
    words = Words("Replays", "Changes each second that reached Redis later than their own request.")
    query = Query(RUN.during(rate("", REPLAYED)), "replayed")
    return panels.lines(words, Field("ops", no_value=NO_LEDGER), query)


def _outcomes() -> Panel:
    words = Words(
        "Requests by outcome",
        "What clients got each second, as the generator counted it: `ok`, or the kind of failure.",
    )
    return panels.lines(words, RATE, Query(OUTCOMES, "{{outcome}}"), stacked=True)


def _writes() -> Panel:
    words = Words("Writes by status", "Score events each second, by what became of them.")
    query = Query(f"{RUN.during(rate('status', WRITES))} > 0", "{{status}}")
    return panels.lines(words, Field("ops", no_value="no writes"), query, stacked=True)


def _answers() -> Panel:
    words = Words("Answers by code", "Answers of the service each second, by HTTP status.")
    answers = RUN.during(rate("code", f"{HTTP_SECONDS}_count{{{LOAD}}}"))
    return panels.lines(words, RATE, Query(f"{answers} > 0", "{{code}}"), stacked=True)


def _latency() -> Panel:
    words = Words("p99 by operation", "Good answers, measured in the service.")
    query = Query(RUN.during(quantile(0.99, "route", HTTP_SECONDS, GOOD)), "{{route}}")
    return panels.lines(words, Field("s", no_value="no answers"), query)
