"""Tables of a run that goes on, where they cannot be had."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from locustfiles.live import tables_so_far
from locustfiles.live.tables_so_far import NoTables, TablesSoFar


def _tables(*, has_begun: bool) -> TablesSoFar:
    results: Any = SimpleNamespace(has_begun=has_begun, run_id="run", write_so_far=Path.mkdir)
    return TablesSoFar(results)


def test_a_run_that_has_not_begun_has_none() -> None:
    """The sentence says so."""
    with pytest.raises(NoTables, match="has not begun"):
        _tables(has_begun=False).make("keys")


@pytest.mark.parametrize(
    ("seconds", "complaint"), [(0.0, "took more than 0 s"), (60.0, "has no run.json")]
)
def test_tables_that_are_not_made_are_refused_and_the_log_says_why(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    seconds: float,
    complaint: str,
) -> None:
    """Whether the machine was too busy or the run's directory is not whole."""
    monkeypatch.setattr(tables_so_far, "_SECONDS", seconds)

    with pytest.raises(NoTables, match="the log says why"):
        _tables(has_begun=True).make("keys")

    assert complaint in caplog.text
