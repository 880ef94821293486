"""One PromQL query of a panel, and the few phrases that many queries share."""

from dataclasses import dataclass
from typing import Final

from grafana_foundation_sdk.builders.prometheus import Dataquery as DataqueryBuilder
from grafana_foundation_sdk.models.prometheus import Dataquery, PromQueryFormat

from dashboards.grafana.datasource import prometheus

# the routes that are load; healthz, readyz and metrics are plumbing
OPERATIONS: Final = (
    *("submit", "top", "partition_top", "around", "rank"),
    *("event_v1", "event_v2", "event_player", "races"),
)
LOAD: Final = f'route=~"{"|".join(OPERATIONS)}"'
GOOD: Final = f'code=~"2..",{LOAD}'

HTTP_SECONDS: Final = "leaderboard_http_request_duration_seconds"
KEY_SECONDS: Final = "leaderboard_key_op_duration_seconds"
# a pipeline is one call; to each key it carries it is the whole of its time
PIPELINE_SECONDS: Final = "leaderboard_redis_pipeline_seconds_total"
FAIR_SHARE: Final = "mode:leaderboard_fair_share:ratio"
SHARE: Final = "key:leaderboard_load:share"
HEAT: Final = "key:leaderboard_load:heat"
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


@dataclass(frozen=True)
class Run:
    """The one run a panel is about: the newest in view, or the one chosen by a variable.

    Its series are there in its measured phase only, so what is asked of them at one moment is asked
    of the whole range: what a run showed stays when the run, or the service, is gone.
    """

    variable: str = "run"
    mode: str = ""

    @property
    def choices(self) -> str:
        """Select the series among whose values of `choice` the variable chooses."""
        mode = f'mode="{self.mode}"' if self.mode else ""
        return f"choice:loadgen_measured_start:seconds{{{mode}}}"

    @property
    def chosen(self) -> str:
        """Ask for the run: one series, which bears its name and mode, at every moment in view."""
        mode = f',mode="{self.mode}"' if self.mode else ""
        choices = f'choice:loadgen_measured_start:seconds{{choice="${self.variable}"{mode}}}'
        return f"topk(1, last_over_time({choices}[$__range] @ end()))"

    def of(self, series: str) -> str:
        """Pick, of series that bear the name of their run, those of this one."""
        return f"({series} and on (run) {self.chosen})"

    def last(self, series: str) -> str:
        """Ask for the last values of series that bear the name of their run."""
        return self.of(f"last_over_time({series}[$__range])")

    def largest(self, series: str) -> str:
        """Ask for the largest values of series that bear the name of their run."""
        return self.of(f"max_over_time({series}[$__range])")

    def during(self, query: str) -> str:
        """Ask for what the service counted while this run was measured."""
        return f"(({query}) and on () {self.of('run:loadgen_measuring:bool')})"

    def over(self, function: str, query: str) -> str:
        """Ask for the last, largest or mean value (`last`, `max`, `avg`) while it was measured."""
        return f"{function}_over_time({self.during(query)}[$__range:])"


RUN: Final = Run()


def rate(by: str, counter: str) -> str:
    """Ask for a counter's rise per second, summed by labels, or altogether where none are named."""
    grouping = f" by ({by}) " if by else ""
    return f"sum{grouping}(rate({counter}[$__rate_interval]))"


def quantile(share: float, by: str, histogram: str, selector: str = "") -> str:
    """Ask for a quantile of a classic histogram; `>= 0` drops the NaN of an idle one."""
    labels = f"{by}, le" if by else "le"
    buckets = f"{histogram}_bucket{{{selector}}}" if selector else f"{histogram}_bucket"
    return f"histogram_quantile({share}, {rate(labels, buckets)}) >= 0"


def rise(by: str, counter: str) -> str:
    """Ask for how much a counter rose in view: to the unit, unless it began anew there."""
    grouping = f" by ({by}) " if by else ""
    counted = f"{counter}[$__range]"
    exact = f"max_over_time({counted}) - min_over_time({counted})"
    return f"sum{grouping}(({exact} and resets({counted}) == 0) or increase({counted}))"


def beside(values: str, reference: str, name: str) -> str:
    """List the values of keys, largest first, with one for reference in its place among them."""
    return f'sort_desc({values} or label_replace(max({reference}), "key", "{name}", "", ""))'


# What clients saw, as the generator counted it. Each run has counters of its own, which start at 0:
# their last values are the whole run, to the unit.
ANSWERED: Final = "loadgen_requests_total"
_FAILURES: Final = f'{ANSWERED}{{outcome!="ok"}}'
FAILED: Final = f"sum({RUN.last(_FAILURES)})"
OUTCOMES: Final = f"{RUN.during(rate('outcome', ANSWERED))} > 0"
