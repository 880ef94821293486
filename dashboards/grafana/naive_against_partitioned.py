"""The dashboard *Naive against partitioned*, which shows what partitioning buys."""

from dashboards.grafana import panels
from dashboards.grafana.fields import (
    ACHIEVED_RATIO,
    EFFECTIVE,
    LATENCY,
    LATENCY_NOW,
    Field,
)
from dashboards.grafana.fields import SHARE as SHARE_FIELD
from dashboards.grafana.page import Choice, Page, Place, RunChoice, Section
from dashboards.grafana.panels import Words
from dashboards.grafana.query import (
    ACHIEVED,
    EFFECTIVE_KEYS,
    FAIR_SHARE,
    HOTTEST_SHARE,
    OPERATION_P99,
    OPERATION_RATE,
    SHARE,
    Query,
    Run,
    beside,
    rate,
)

LEFT, RIGHT = (Run(mode, mode) for mode in ("naive", "partitioned"))


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-naive-partitioned",
        title="Naive against partitioned",
        question="What does partitioning buy? The last run of each mode, side by side.",
        sections=(
            Section(
                "At a glance",
                (*_keys_now(LEFT), *_keys_now(RIGHT), *_answers_now(LEFT), *_answers_now(RIGHT)),
            ),
            Section("Keys", (_shares(LEFT), _shares(RIGHT), _keys())),
            Section("Answers", (_latency(), _answers())),
        ),
        choices=(
            RunChoice(LEFT, "Naive run"),
            RunChoice(RIGHT, "Partitioned run"),
            Choice("op", "Hits", ("write", "read")),
        ),
        since="now-15m",
    )


def _titled(run: Run, title: str, description: str) -> Words:
    return Words(f"{run.mode.capitalize()}: {title}", description)


def _number(run: Run, words: Words, field: Field, series: str, legend: str) -> Place:
    query = Query(run.last(series), legend, instant=True)
    return Place(panels.number(words, field, query), 6, 4)


def _keys_now(run: Run) -> tuple[Place, ...]:
    load = f'{{mode="{run.mode}",op="$op"}}'
    hottest = _titled(run, "hottest share", "The share of the load that the busiest key takes.")
    effective = _titled(
        run, "effective keys", "As many evenly loaded keys would be as uneven (1 / Σ share²)."
    )
    return (
        _number(run, hottest, SHARE_FIELD, f"{HOTTEST_SHARE}{load}", "hottest key"),
        _number(run, effective, EFFECTIVE, f"{EFFECTIVE_KEYS}{load}", "keys"),
    )


def _answers_now(run: Run) -> tuple[Place, ...]:
    of_mode = f'{{mode="{run.mode}"}}'
    achieved = _titled(
        run, "achieved of modelled", "Good answers for each offered request, over 10 s."
    )
    p99 = _titled(run, "p99", "The service's own 99th percentile of good answers, over 10 s.")
    return (
        _number(run, achieved, ACHIEVED_RATIO, f"{ACHIEVED}{of_mode}", "achieved"),
        _number(run, p99, LATENCY_NOW, f"{OPERATION_P99}{of_mode}", "{{route}}"),
    )


def _shares(run: Run) -> Place:
    words = _titled(
        run,
        "share against fair share",
        "Each key's share of the load, largest first, among them the share if all keys took alike.",
    )
    shares = run.last(f'{SHARE}{{mode="{run.mode}",op="$op"}}')
    fair = run.last(f'{FAIR_SHARE}{{mode="{run.mode}"}}')
    query = Query(beside(shares, fair, "fair share"), "{{key}}", instant=True)
    bars = panels.bars(words, SHARE_FIELD, query, reference="fair share")
    return Place(bars, 12, panels.BARS_HEIGHT)


def _both(series: str) -> str:
    """Put both runs on one scale: on one scale for each, a difference would look like none."""
    return f"{LEFT.of(series)} or {RIGHT.of(series)}"


def _keys() -> Place:
    words = Words(
        "Hits per key", "Redis commands that touched each key in both runs, every second."
    )
    hits = rate("key", 'leaderboard_key_ops_total{op="$op"}')
    left, right = (
        f'label_replace({run.during(hits)}, "mode", "{run.mode}", "", "")' for run in (LEFT, RIGHT)
    )
    query = Query(f"{left} or {right}", "{{mode}} {{key}}")
    return Place(panels.lines(words, Field("ops"), query), 24, 10)


def _latency() -> Place:
    words = Words(
        "p99 by operation",
        "The service's own 99th percentile of good answers in both runs, over 10 s.",
    )
    query = Query(_both(OPERATION_P99), "{{mode}} {{route}}")
    return Place(panels.lines(words, LATENCY, query), 12, 10)


def _answers() -> Place:
    words = Words(
        "Answers by operation",
        "Answers of the service in both runs each second, good or bad, over 10 s.",
    )
    query = Query(_both(OPERATION_RATE), "{{mode}} {{route}}")
    return Place(panels.lines(words, Field("reqps"), query), 12, 10)
