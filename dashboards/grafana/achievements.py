"""The dashboard *Achievements*, which shows what members count, unlock and look at."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import LATENCY, Field
from dashboards.grafana.page import Page, Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import HTTP_SECONDS, Query, quantile, rate

ROUTES: Final = 'route=~"count|achievements|pending|colleagues"'
LAST_SWEEP: Final = "1000 * max(achievements_sweep_last_success_timestamp_seconds)"
SWEPT: Final = "achievements_sweep_members_total"
NO_LEDGER: Final = "no ledger"
IN_VIEW: Final = Field("short", decimals=0, no_value=NO_LEDGER)
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
    words = Words("Last sweep", "When a sweep last came to its end; 1970 when none ever has.")
    field = Field("dateTimeFromNow", no_value=NO_LEDGER)
    return panels.number(words, field, Query(LAST_SWEEP, "last sweep", instant=True))


def _swept() -> Panel:
    words = Words("Members swept", "Members that sweeps in view looked at.")
    query = f"sum(increase({SWEPT}[$__range]))"
    return panels.number(words, IN_VIEW, Query(query, "members", instant=True))


def _changed() -> Panel:
    words = Words("Changed by sweeps", "Those of them whose standing had moved.")
    query = f'sum(increase({SWEPT}{{outcome="changed"}}[$__range]))'
    return panels.number(words, IN_VIEW, Query(query, "changed", instant=True))


def _unlocked() -> Panel:
    words = Words("Levels unlocked", "Levels that members in view reached, whoever found them.")
    query = "sum(increase(achievements_unlocks_total[$__range]))"
    return panels.number(words, IN_VIEW, Query(query, "unlocked", instant=True))


def _sweeping() -> Panel:
    words = Words(
        "Members of ended sweeps", "Members each second, noted when the sweep that saw them ends."
    )
    query = Query(rate("outcome", SWEPT), "{{outcome}}")
    return panels.lines(words, EACH_SECOND, query, stacked=True)


def _recounts() -> Panel:
    words = Words(
        "Recounts by source", "Recounts each second, by the page or the sweep that asked."
    )
    query = Query(rate("source", "achievements_recounts_total"), "{{source}}")
    return panels.lines(words, EACH_SECOND, query, stacked=True)


def _unlocks() -> Panel:
    words = Words("Unlocks", "Levels unlocked each second.")
    query = Query(rate("", "achievements_unlocks_total"), "levels")
    return panels.lines(words, EACH_SECOND, query)


def _answers() -> Panel:
    words = Words("Answers by operation", "Answers each second to what members send and ask.")
    query = _or_nothing(rate("route", f"{HTTP_SECONDS}_count{{{ROUTES}}}"))
    return panels.lines(words, Field("reqps", no_value="no answers"), Query(query, "{{route}}"))


def _latency() -> Panel:
    words = Words("p99 of members' answers", "Good answers, measured in the service.")
    good = quantile(0.99, "route", HTTP_SECONDS, f'code=~"2..",{ROUTES}')
    return panels.lines(words, LATENCY, Query(_or_nothing(good), "{{route}}"))


def _or_nothing(query: str) -> str:
    """Draw a nought while nobody has counted anything yet, as in a run without members."""
    return f'({query}) or label_replace(0 * max(leaderboard_partitions), "route", "count", "", "")'
