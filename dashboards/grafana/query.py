"""One PromQL query of a panel, and the few phrases that many queries share."""

from dataclasses import dataclass
from typing import Final

from grafana_foundation_sdk.builders.prometheus import Dataquery as DataqueryBuilder
from grafana_foundation_sdk.models.prometheus import Dataquery, PromQueryFormat

from dashboards.grafana.datasource import prometheus

# the routes that are load; healthz, readyz and metrics are plumbing
OPERATIONS: Final = (
    *("submit", "submit_batch", "top", "partition_top", "around", "rank"),
    *("event_v1", "event_v2", "event_player", "races"),
)
LOAD: Final = f'route=~"{"|".join(OPERATIONS)}"'
GOOD: Final = f'code=~"2..",{LOAD}'

HTTP_SECONDS: Final = "leaderboard_http_request_duration_seconds"
KEY_SECONDS: Final = "leaderboard_key_op_duration_seconds"
FAIR_SHARE: Final = "max(mode:leaderboard_fair_share:ratio)"
HOTTEST_SHARE: Final = "op:leaderboard_load:hottest_share"
EFFECTIVE_KEYS: Final = "op:leaderboard_load:effective_keys"
ACHIEVED: Final = "mode:loadgen_achieved:ratio"
OPERATION_RATE: Final = "route:leaderboard_http_requests:rate10s"
OPERATION_P99: Final = "route:leaderboard_http_request_duration_seconds:p99"


@dataclass(frozen=True)
class Query:
    """A PromQL expression, how its series are called, and whether only its newest value counts."""

    expr: str
    legend: str
    instant: bool = False


def target(query: Query, ref_id: str, form: PromQueryFormat) -> Dataquery:
    """Turn a query into the target of a panel."""
    built = (
        DataqueryBuilder()
        .datasource(prometheus())
        .expr(query.expr)
        .legend_format(query.legend)
        .format(form)
        .ref_id(ref_id)
    )
    return (built.instant() if query.instant else built.range()).build()


def last(series: str) -> str:
    """Ask for the newest value in view, so that what a run showed stays when it is over."""
    return f"last_over_time({series}[$__range])"


def newest(series: str) -> str:
    """Ask for the newest value in view of the mode the service is in now."""
    return f"({last(series)} and on (mode) leaderboard_info)"


def rate(by: str, counter: str) -> str:
    """Ask for a counter's rise per second, summed by labels, or altogether where none are named."""
    grouping = f" by ({by}) " if by else ""
    return f"sum{grouping}(rate({counter}[$__rate_interval]))"


def quantile(share: float, by: str, histogram: str, selector: str = "") -> str:
    """Ask for a quantile of a classic histogram; `>= 0` drops the NaN of an idle one."""
    labels = f"{by}, le" if by else "le"
    buckets = f"{histogram}_bucket{{{selector}}}" if selector else f"{histogram}_bucket"
    return f"histogram_quantile({share}, {rate(labels, buckets)}) >= 0"


def shares_beside_fair(shares: str) -> str:
    """List shares of keys, largest first, with the fair share in its place among them."""
    fair = f'label_replace({FAIR_SHARE}, "key", "fair share", "", "")'
    return f"sort_desc({shares} or {fair})"
