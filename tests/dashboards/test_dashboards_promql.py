"""Every query: it parses, reads counters as rates, and knows its metrics."""

import json
import subprocess
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from promql_walk import panel_queries, rules, selectors

from dashboards.datacheck.filling import fill
from dashboards.grafana.query import rise
from target_service.metrics import Metrics

Documents = dict[str, dict[str, Any]]

COUNTER_ENDINGS = ("_total", "_bucket", "_sum", "_count")
# the load generator's; the service's own are read off it below
GENERATOR = {
    "loadgen_requests_total": {"run", "operation", "outcome"},
    "loadgen_offered_total": {"run", "operation"},
    "loadgen_dropped_total": {"run", "operation"},
    "loadgen_lateness_seconds_bucket": {"run", "le"},
    "loadgen_inflight": {"run"},
    "loadgen_cpu_ratio": {"run"},
    "loadgen_measured_start_timestamp_seconds": {"run", "mode"},
}
OTHERS = {
    "redis_cpu_user_seconds_total": set[str](),
    "redis_cpu_sys_seconds_total": set[str](),
    "up": {"job"},
    "odometer_reads_total": {"source"},
    "odometer_deliveries_total": {"outcome"},
    "odometer_total_as_of_timestamp_seconds": set[str](),
    "odometer_drift": set[str](),
    "leaderboard_topk_as_of_timestamp_seconds": set[str](),
    "leaderboard_projection_backlog": set[str](),
    "leaderboard_projection_replayed_total": set[str](),
    "leaderboard_projection_oldest_timestamp_seconds": set[str](),
    "achievements_sweep_last_success_timestamp_seconds": set[str](),
    "achievements_sweep_members_total": {"outcome"},
    "achievements_recounts_total": {"source"},
    "achievements_unlocks_total": set[str](),
}


def service_metrics() -> dict[str, set[str]]:
    """Read the service's series and their labels off the service."""
    found: dict[str, set[str]] = {}
    metrics: list[Any] = list(Metrics().registry._collector_to_names)
    for metric in metrics:
        name = metric._name
        labels = set(metric._labelnames)
        if metric._type == "counter":
            found[f"{name}_total"] = labels
        elif metric._type == "histogram":
            found |= {f"{name}_{end}": labels | {"le"} for end in ("bucket", "sum", "count")}
        else:
            found[name] = labels
    return found


def recorded() -> dict[str, set[str]]:
    """Name the recorded series; their labels are what their rules sum by."""
    named = {"mode", "run", "choice", "op", "key", "route", "operation", "instance"}
    return {rule["record"]: named for rule in rules() if "record" in rule}


def test_every_panel_query_parses(documents: Documents) -> None:
    """Each query is PromQL once Grafana's variables are filled in."""
    queries = list(panel_queries(documents))

    assert len(queries) > 40
    for where, expr in queries:
        assert promql_parser.parse(expr), where


def test_every_annotation_query_parses(documents: Documents) -> None:
    """The annotations that come from Prometheus are PromQL too."""
    for document in documents.values():
        for annotation in document["annotations"]["list"]:
            assert "expr" not in annotation or promql_parser.parse(annotation["expr"])


def test_promtool_accepts_every_panel_query(
    documents: Documents, promtool: Path, tmp_path: Path
) -> None:
    """Prometheus' own parser takes every panel's query."""
    queries = panel_queries(documents)
    written = [{"record": f"q{i}", "expr": expr} for i, (_, expr) in enumerate(queries)]
    path = tmp_path / "queries.yml"
    path.write_text(json.dumps({"groups": [{"name": "queries", "rules": written}]}))
    checked = subprocess.run(
        [promtool, "check", "rules", path], capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stderr
    assert f"{len(written)} rules found" in checked.stdout


def test_sums_in_view_are_exact(promtool: Path, tmp_path: Path) -> None:
    """12,000 members that one scrape saw swept are 12,000; `increase()` would make more of them."""
    name = "achievements_sweep_members_total"
    expr = fill(rise("", name), {"__range": "5m"})
    series = [{"series": name, "values": "500x100 12500x120"}]
    asked = [
        {"expr": expr, "eval_time": "220s", "exp_samples": [{"labels": "{}", "value": 12_000}]},
    ]
    test = {
        "interval": "1s",
        "input_series": series,
        "promql_expr_test": asked,
    }
    path = tmp_path / "rise.yml"
    path.write_text(json.dumps({"evaluation_interval": "1s", "tests": [test]}))
    checked = subprocess.run(
        [promtool, "test", "rules", path], capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_counters_are_only_read_by_their_rise(documents: Documents) -> None:
    """A counter's value is the age of a process, unless that process is one run."""
    rises = {"rate", "increase", "resets", "max_over_time", "min_over_time"}
    for where, expr in panel_queries(documents):
        for selector in selectors(expr):
            if not selector.metric.endswith(COUNTER_ENDINGS):
                assert selector.function in {None, "last_over_time", "max_over_time"}, where
            elif selector.metric in GENERATOR:
                assert selector.function in {"rate", "last_over_time"}, where
            else:
                assert selector.function in rises, where


@pytest.mark.parametrize("source", ["panels", "rules"])
def test_only_known_metrics_and_labels_are_read(documents: Documents, source: str) -> None:
    """Every metric is one that a target or a rule has, with the labels asked for."""
    known = service_metrics() | GENERATOR | OTHERS | recorded()
    in_rules = [(rule.get("record", rule.get("alert")), rule["expr"]) for rule in rules()]
    queries = list(panel_queries(documents)) if source == "panels" else in_rules
    for where, expr in queries:
        for selector in selectors(expr):
            assert selector.metric in known, (where, selector.metric)
            assert selector.labels <= known[selector.metric] | {"mode"}, where


def test_every_recorded_series_is_read(documents: Documents) -> None:
    """Nothing is recorded that no panel, rule or alert needs."""
    read = {s.metric for _, expr in panel_queries(documents) for s in selectors(expr)}
    read |= {s.metric for rule in rules() for s in selectors(rule["expr"])}

    assert set() == set(recorded()) - read
