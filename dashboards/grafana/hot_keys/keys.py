"""Where the hits fall: over time, as shares, and in numbers."""

from typing import Final

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import LATENCY, SHARE, Field
from dashboards.grafana.page import Place, Section
from dashboards.grafana.panels import Column, Words
from dashboards.grafana.query import (
    FAIR_SHARE,
    KEY_SECONDS,
    Query,
    newest,
    quantile,
    rate,
    shares_beside_fair,
)

HITS: Final = rate("key", 'leaderboard_key_ops_total{op="$op"}')
SHARES: Final = newest('key:leaderboard_load:share{op="$op"}')


def section() -> Section:
    """Put the picture above the numbers."""
    return Section(
        "Keys", (Place(_hits(), 12, 11), Place(_shares(), 12, 11), Place(_numbers(), 24, 11))
    )


def _hits() -> Panel:
    words = Words(
        "Hits per key",
        "Redis commands that touched each key, every second; choose writes or reads at the top.",
    )
    field = Field("ops", no_value="no service")
    return panels.lines(words, field, Query(HITS, "{{key}}"), stacked=True)


def _shares() -> Panel:
    words = Words(
        "Share against fair share",
        "Each key's share of the load, largest first, among them the share if all keys took alike.",
    )
    query = Query(shares_beside_fair(SHARES), "{{key}}", instant=True)
    return panels.bars(words, SHARE, query, reference="fair share")


def _numbers() -> Panel:
    words = Words("Keys in numbers", "One row for each key; heat is its share over the fair share.")
    heat = f"max by (key) ({SHARES}) / on () group_left () {FAIR_SHARE}"
    columns = (
        Column("Hits/s", HITS, Field("ops", decimals=1)),
        Column("Share", f"max by (key) ({SHARES})", SHARE),
        Column("Heat", heat, Field("short", decimals=2)),
        Column("p99", quantile(0.99, "key", KEY_SECONDS, 'op="$op"'), LATENCY),
        Column(
            "Members", "max by (key) (leaderboard_board_members) >= 0", Field("short", decimals=0)
        ),
    )
    return panels.rows(words, "key", columns, sort_by="Share")
