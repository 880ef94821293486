"""Filling in a panel's query: steps, windows and variables as Grafana has them."""

import pytest

from dashboards.datacheck.filling import Window, fill, window


@pytest.mark.parametrize(
    ("since", "columns", "expected", "rate_seconds"),
    [
        pytest.param("now-5m", 24, Window(300, 1), 4, id="a point a second, four scrapes"),
        pytest.param("now-5m", 3, Window(300, 2), 4, id="180 pixels for 300 s: every 2 s"),
        pytest.param("now-15m", 12, Window(900, 1), 4, id="1.25 s is rounded down"),
        pytest.param("now-1h", 12, Window(3600, 5), 6, id="5 s, and a scrape more"),
        pytest.param("now-1d", 24, Window(86400, 60), 61, id="a day: every minute"),
    ],
)
def test_window_is_grafanas(since: str, columns: int, expected: Window, rate_seconds: int) -> None:
    """The step is a round number of seconds, a rate takes four scrapes or the step and one more."""
    assert expected == window(since, columns)
    assert rate_seconds == expected.rate_seconds


def test_window_of_a_fixed_time_is_refused() -> None:
    """The check needs to know how far back a dashboard looks."""
    with pytest.raises(ValueError, match="not at 2026-01-01"):
        window("2026-01-01", 24)


def test_every_variable_is_filled_in() -> None:
    """Both ways to write a variable are understood, and a longer name is not cut."""
    values = {"op": "write", "operation": "submit", **Window(300, 1).variables()}

    assert (
        fill(
            'a{op="$op",o="${operation}"}[$__rate_interval] + b[$__range] + c[$__interval]', values
        )
        == 'a{op="write",o="submit"}[4s] + b[300s] + c[1s]'
    )


def test_variable_without_a_value_is_refused() -> None:
    """A query that Grafana would send with a dollar in it is an error of the dashboard."""
    with pytest.raises(ValueError, match="uses \\$board, which no variable is called"):
        fill("a{b='$board'}", {"op": "write"})
