"""The dashboard *Naive against partitioned*, which shows what partitioning buys."""

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import (
    ACHIEVED_RATIO,
    EFFECTIVE,
    LATENCY,
    LATENCY_NOW,
    SHARE,
    Field,
)
from dashboards.grafana.page import Choice, Page, Place, Section
from dashboards.grafana.panels import Words
from dashboards.grafana.query import (
    ACHIEVED,
    EFFECTIVE_KEYS,
    HOTTEST_SHARE,
    OPERATION_P99,
    OPERATION_RATE,
    Query,
    last,
    shares_beside_fair,
)

LEFT, RIGHT = "naive", "partitioned"


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-naive-partitioned",
        title="Naive against partitioned",
        question="What does partitioning buy? The last run of each mode, side by side.",
        sections=(
            Section("At a glance", (*_numbers(LEFT), *_numbers(RIGHT))),
            Section("Keys", (*_bars(LEFT), *_bars(RIGHT), *_keys(LEFT), *_keys(RIGHT))),
            Section(
                "Answers",
                (*_latency(LEFT), *_latency(RIGHT), *_answers(LEFT), *_answers(RIGHT)),
            ),
        ),
        choices=(Choice("op", "Hits", ("write", "read")),),
        since="now-15m",
    )


def _titled(mode: str, title: str, description: str) -> Words:
    return Words(f"{mode.capitalize()}: {title}", description)


def _number(words: Words, field: Field, series: str, legend: str) -> Panel:
    return panels.number(words, field, Query(last(series), legend, instant=True))


def _numbers(mode: str) -> tuple[Place, ...]:
    load = f'{{mode="{mode}",op="$op"}}'
    run = f'{{mode="{mode}"}}'
    hottest = _titled(mode, "hottest share", "The share of the load that the busiest key takes.")
    effective = _titled(
        mode, "effective keys", "As many evenly loaded keys would be as uneven (1 / Σ share²)."
    )
    achieved = _titled(
        mode, "achieved of modelled", "Good answers for each offered request, over 10 s."
    )
    p99 = _titled(mode, "p99", "The service's own 99th percentile of good answers, over 10 s.")
    return (
        Place(_number(hottest, SHARE, f"{HOTTEST_SHARE}{load}", "hottest key"), 3, 6),
        Place(_number(effective, EFFECTIVE, f"{EFFECTIVE_KEYS}{load}", "keys"), 3, 6),
        Place(_number(achieved, ACHIEVED_RATIO, f"{ACHIEVED}{run}", "achieved"), 3, 6),
        Place(_number(p99, LATENCY_NOW, f"{OPERATION_P99}{run}", "{{route}}"), 3, 6),
    )


def _bars(mode: str) -> tuple[Place, ...]:
    words = _titled(
        mode,
        "share against fair share",
        "Each key's share of the load, largest first, among them the share if all keys took alike.",
    )
    shares = last(f'key:leaderboard_load:share{{mode="{mode}",op="$op"}}')
    query = Query(shares_beside_fair(shares), "{{key}}", instant=True)
    return (Place(panels.bars(words, SHARE, query, reference="fair share"), 12, 11),)


def _keys(mode: str) -> tuple[Place, ...]:
    words = _titled(
        mode, "load per key", "Members written to, or hits that read, each key, over 10 s, stacked."
    )
    query = Query(f'key:leaderboard_load:rate10s{{mode="{mode}",op="$op"}}', "{{key}}")
    return (Place(panels.lines(words, Field("ops"), query, stacked=True), 12, 9),)


def _latency(mode: str) -> tuple[Place, ...]:
    words = _titled(
        mode, "p99 by operation", "The service's own 99th percentile of good answers, over 10 s."
    )
    query = Query(f'{OPERATION_P99}{{mode="{mode}"}}', "{{route}}")
    return (Place(panels.lines(words, LATENCY, query), 12, 9),)


def _answers(mode: str) -> tuple[Place, ...]:
    words = _titled(
        mode, "answers by operation", "Answers of the service each second, good or bad, over 10 s."
    )
    query = Query(f'{OPERATION_RATE}{{mode="{mode}"}}', "{{route}}")
    return (Place(panels.lines(words, Field("reqps"), query, stacked=True), 12, 9),)
