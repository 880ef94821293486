"""Where the hits fall: over time, as heat, and in numbers."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import HEAT as HEAT_FIELD
from dashboards.grafana.fields import LATENCY, Field
from dashboards.grafana.fields import SHARE as SHARE_FIELD
from dashboards.grafana.page import Place, Section, row
from dashboards.grafana.panels import Column, Words
from dashboards.grafana.query import HEAT, KEY_SECONDS, RUN, SHARE, Query, beside, quantile, rate

HITS: Final = rate("key", 'leaderboard_key_ops_total{op="$op"}')
HEATS: Final = RUN.last(f'{HEAT}{{op="$op"}}')


def section() -> Section:
    """Put the picture above the numbers."""
    return Section(
        "Keys",
        (
            *row(12, panels.BARS_HEIGHT, _hits(), _heats()),
            # as high as twelve rows need
            Place(_numbers(), 24, 13),
        ),
    )


def _hits() -> Panel:
    words = Words(
        "Hits per key",
        "Redis commands that touched each key, every second; choose writes or reads at the top.",
    )
    field = Field("ops", no_value="no load yet")
    query = Query(f"{RUN.during(HITS)} > 0", "{{key}}")
    return panels.lines(words, field, query, stacked=True)


def _heats() -> Panel:
    words = Words(
        "Heat: share over fair share",
        "How many times its fair share each key takes, hottest first: 1 if all keys took alike.",
    )
    query = Query(beside(HEATS, f"{HEATS} ^ 0", "fair share"), "{{key}}", instant=True)
    return panels.bars(words, HEAT_FIELD, query, reference="fair share")


def _numbers() -> Panel:
    words = Words("Keys in numbers", "One row for each key, at the end of the measured phase.")
    shares = RUN.last(f'{SHARE}{{op="$op"}}')
    p99 = quantile(0.99, "key", KEY_SECONDS, 'op="$op"')
    members = "max by (key) (leaderboard_board_members) >= 0"
    columns = (
        Column("Hits/s", RUN.over("avg", HITS), Field("ops", decimals=1)),
        Column("Share", f"max by (key) ({shares})", SHARE_FIELD),
        Column("Heat", f"max by (key) ({HEATS})", HEAT_FIELD),
        Column("p99", RUN.over("last", p99), LATENCY),
        Column("Members", RUN.over("last", members), Field("locale", decimals=0)),
    )
    return panels.rows(words, "key", columns, sort_by="Share")
