"""The dashboard *Achievements*, which shows what members count, unlock and look at."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Page, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import HTTP_SECONDS, Query, quantile, rate, rise

ROUTES: Final = 'route=~"count|achievements|pending|colleagues"'
# 0 stands for none
LAST_SWEEP: Final = (
    "1000 * max(last_over_time(achievements_sweep_last_success_timestamp_seconds[$__range]) > 0)"
)
SWEPT: Final = "achievements_sweep_members_total"
NO_LEDGER: Final = "no ledger"
NO_SWEEP: Final = "no sweep yet"
NO_MEMBERS: Final = "no members yet"
IN_VIEW: Final = Field("locale", decimals=0, no_value=NO_LEDGER)
EACH_SECOND: Final = Field("ops", no_value=NO_LEDGER)


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-achievements",
        title="Achievements",
        question="Did the sweep run, what did it find, and what was counting like meanwhile?",
        sections=(
            Section(
                "The sweep",
                row(6, 5, _last(), _swept(), _changed(), _unlocked()),
            ),
            Section(
                "Who is recounted, and what they unlock",
                row(8, 9, _sweeping(), _recounts(), _unlocks()),
            ),
            Section(
                "What members were answered",
                row(12, 9, _answers(), _latency()),
            ),
        ),
    )


def _last() -> Panel:
    words = Words("Last sweep", "When a sweep last came to its end.")
    field = Field("dateTimeFromNow", no_value=NO_SWEEP)
    return panels.number(words, field, Query(LAST_SWEEP, "last sweep", instant=True))


def _swept() -> Panel:
    words = Words("Members swept", "Members that sweeps in view looked at.")
    return panels.number(words, IN_VIEW, Query(rise("", SWEPT), "members", instant=True))


def _changed() -> Panel:
    words = Words("Changed by sweeps", "Those of them whose standing had moved.")
    query = rise("", f'{SWEPT}{{outcome="changed"}}')
    return panels.number(words, IN_VIEW, Query(query, "changed", instant=True))


def _unlocked() -> Panel:
    words = Words("Levels unlocked", "Levels that members in view reached, whoever found them.")
    query = rise("", "achievements_unlocks_total")
    return panels.number(words, IN_VIEW, Query(query, "unlocked", instant=True))


def _sweeping() -> Panel:
    words = Words(
        "Members of ended sweeps", "Members each second, noted when the sweep that saw them ends."
    )
    query = Query(f"{rate('outcome', SWEPT)} > 0", "{{outcome}}")
    return panels.lines(words, Field("ops", no_value=NO_SWEEP), query, stacked=True)


def _recounts() -> Panel:
    words = Words(
        "Recounts by source", "Recounts each second, by the page or the sweep that asked."
    )
    query = Query(f"{rate('source', 'achievements_recounts_total')} > 0", "{{source}}")
    return panels.lines(words, Field("ops", no_value=NO_MEMBERS), query, stacked=True)


def _unlocks() -> Panel:
    words = Words("Unlocks", "Levels unlocked each second.")
    query = Query(rate("", "achievements_unlocks_total"), "levels")
    return panels.lines(words, EACH_SECOND, query)


def _answers() -> Panel:
    words = Words("Answers by operation", "Answers each second to what members send and ask.")
    query = Query(rate("route", f"{HTTP_SECONDS}_count{{{ROUTES}}}"), "{{route}}")
    return panels.lines(words, Field("reqps", no_value=NO_MEMBERS), query)


def _latency() -> Panel:
    words = Words("p99 of members' answers", "Good answers, measured in the service.")
    good = quantile(0.99, "route", HTTP_SECONDS, f'code=~"2..",{ROUTES}')
    field = Field("s", no_value=NO_MEMBERS)
    return panels.lines(words, field, Query(good, "{{route}}"))
