"""Judging answers: no data, no number, out of bounds, a legend without its label."""

import json
import math
from typing import Any

import pytest

from dashboards.datacheck.bounds import Bounds, bounds_of
from dashboards.datacheck.check import jobs_of
from dashboards.datacheck.judging import judge
from dashboards.datacheck.prometheus_api import Series
from dashboards.datacheck.questions import FOLDER, NEED_NOT_HAPPEN, Question, dashboard, read


def question(expr: str = "x") -> Question:
    """Make a question about a share, with one label in its legend."""
    return Question(
        "D", "P", "A", expr, True, 12, frozenset({"key"}), Bounds(0, 1), may_be_empty=False
    )


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        pytest.param([Series({"key": "a"}, (0.0, 0.5, 1.0))], (), id="shares"),
        pytest.param([], ("no data",), id="nothing"),
        pytest.param([Series({"key": "a"}, ())], ("no data",), id="a series without a value"),
        pytest.param(
            [Series({"key": "a"}, (1.5, 1.5))], ("1.5 is not within 0 and 1",), id="said once"
        ),
        pytest.param([Series({"key": "a"}, (-0.1,))], ("-0.1 is not within 0 and 1",), id="below"),
        pytest.param([Series({"key": "a"}, (math.nan,))], ("nan is no number",), id="0 / 0"),
        pytest.param([Series({"key": "a"}, (math.inf,))], ("inf is no number",), id="1 / 0"),
        pytest.param(
            [Series({"mode": "naive"}, (0.5,))],
            ("the legend shows key, a series has only {'mode': 'naive'}",),
            id="a legend that would show nothing",
        ),
    ],
)
def test_answers_are_judged(answer: list[Series], faults: tuple[str, ...]) -> None:
    """An answer must hold sound numbers, within bounds, with the labels of the legend."""
    assert faults == judge(question(), answer).faults


def test_choice_nobody_made_may_be_empty() -> None:
    """An operation that is not in this load has no data, which is no fault."""
    assert () == judge(question(), [], may_be_empty=True).faults


@pytest.mark.parametrize(
    ("expr", "jobs"),
    [
        ("rate(leaderboard_redis_commands_total[4s])", set()),
        ("sum(loadgen_inflight)", {"generator"}),
        ("mode:loadgen_achieved:ratio and on (mode) leaderboard_info", {"generator"}),
        ("rate(redis_cpu_user_seconds_total[4s])", {"redis"}),
    ],
)
def test_jobs_are_told_by_the_metrics(expr: str, jobs: set[str]) -> None:
    """A metric of ours with redis in its name is not the exporter's."""
    assert jobs == jobs_of(expr)


@pytest.mark.parametrize(
    ("expr", "mode"),
    [('a{mode="naive",op="write"}', "naive"), ('a{op="write"} and on (mode) b', None)],
)
def test_question_about_one_mode_is_known(expr: str, mode: str | None) -> None:
    """A panel of the naive side can be answered in naive mode only."""
    assert mode == question(expr).mode


def panel(unit: str, **field: float) -> dict[str, Any]:
    """Make a panel with one unit for all."""
    return {"fieldConfig": {"defaults": {"unit": unit, **field}, "overrides": []}}


def test_bounds_are_the_panels_min_and_max() -> None:
    """What the panel says about its numbers holds for the answer."""
    target = {"refId": "A", "expr": "x"}

    assert Bounds(0, 1) == bounds_of(panel("percentunit", min=0, max=1), target)
    assert Bounds(1, math.inf) == bounds_of(panel("short", min=1), target)


def test_quantile_cannot_pass_the_last_bucket() -> None:
    """Interpolated from buckets up to 2.5 s, also when a rule did it; an age may be longer."""
    for expr in ("histogram_quantile(0.99, x)", "route:x_seconds:p99"):
        assert Bounds(0, 2.5) == bounds_of(panel("s"), {"refId": "A", "expr": expr})
    assert Bounds(0, math.inf) == bounds_of(panel("s"), {"refId": "A", "expr": "time() - x"})


def test_column_of_a_table_has_bounds_of_its_own() -> None:
    """Found under the heading that the table gives it."""
    shown = panel("short", min=0)
    shown["transformations"] = [
        {"options": {}},
        {"options": {"renameByName": {"Value #A": "Hits", "Value #B": "Share"}}},
    ]
    shown["fieldConfig"]["overrides"] = [
        {
            "matcher": {"id": "byName", "options": "Share"},
            "properties": [{"id": "unit", "value": "percentunit"}, {"id": "max", "value": 1}],
        }
    ]

    assert Bounds(0, math.inf) == bounds_of(shown, {"refId": "A", "expr": "x"})
    assert Bounds(0, 1) == bounds_of(shown, {"refId": "B", "expr": "x"})


def test_committed_dashboards_ask_something_in_every_panel() -> None:
    """Reading the files finds every panel and every query of it."""
    dashboards = read()

    assert {"Hot keys", "Naive against partitioned", "Generator"} <= {d.title for d in dashboards}
    for one in dashboards:
        assert one.panels == len({question.panel for question in one.questions})


def test_shares_on_the_committed_dashboards_end_at_one() -> None:
    """The bounds that matter most are really there."""
    (hot_keys,) = (one for one in read() if one.title == "Hot keys")
    bounds = {question.panel: question.bounds for question in hot_keys.questions}

    assert Bounds(0, 1) == bounds["Hottest write share"]
    assert Bounds(0) == bounds["Heat: share over fair share"]
    assert Bounds(0, 2.5) == bounds["p99 in the service"]


def test_what_need_not_happen_is_said_by_its_panel() -> None:
    """Every such word is some panel's, and none excuses what a run is about."""
    excused = {q.panel for one in read() for q in one.questions if q.may_be_empty}
    words = {
        panel["fieldConfig"]["defaults"]["noValue"]
        for path in FOLDER.glob("*.json")
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]
        if panel["type"] != "row"
    }

    assert words >= NEED_NOT_HAPPEN
    assert {"Oldest top K", "Last sweep"} <= excused
    assert not excused & {"Heat: share over fair share", "Failed", "Requests by outcome"}


def test_variable_the_check_cannot_fill_in_is_refused() -> None:
    """Rather than asking with a wrong value."""
    document: dict[str, Any] = {
        "title": "D",
        "time": {"from": "now-5m"},
        "panels": [],
        "templating": {"list": [{"type": "interval", "name": "step", "current": {"value": "1m"}}]},
    }

    with pytest.raises(ValueError, match="not interval variables such as step"):
        dashboard(document)
