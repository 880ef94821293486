"""Run directories with odd values: always a verdict or a sentence, never a traceback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_plan import Plan
from made_runs import make_run

from reports.derived import derive
from reports.errors import BrokenRun
from reports.page.inputs import input_groups
from reports.page.story import headline, skew_sentences, story
from reports.rundir.reading import read_run
from reports.terminal import run_text
from reports.verdict.verdict import Status

FILES = ("run.json", "measurements.json", "audit.json")
ODD = [
    None,
    0,
    -1,
    1e308,
    10**30,
    0.5,
    "",
    "<b>",
    [],
    {},
    True,
    [1],
    {"a": 1},
    "$x^2$",
    "http://[",
    1e-300,
]

Way = tuple[str | int, ...]


def _ways(content: object, way: Way = ()) -> Iterator[Way]:
    """The way to every value, the first two of each list."""
    if way:
        yield way
    if isinstance(content, dict):
        for name, value in content.items():
            yield from _ways(value, (*way, name))
    elif isinstance(content, list):
        for number, value in enumerate(content[:2]):
            yield from _ways(value, (*way, number))


def _replaced(content: Any, way: Way, value: object) -> Any:  # noqa: ANN401  (any JSON)
    """The content with one value replaced."""
    copy = json.loads(json.dumps(content))
    inner = copy
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = value
    return copy


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run with failures and an audit."""
    plan = Plan(duration_seconds=2, scale=0.0001, failing=(0, 1))
    return make_run(tmp_path_factory.mktemp("runs"), plan)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data(), name=st.sampled_from(FILES), value=st.sampled_from(ODD))
def test_an_odd_value_is_never_a_traceback(
    run: Path, data: st.DataObject, name: str, value: object
) -> None:
    """Whatever stands anywhere in a raw file, the run is judged or the file is named."""
    original = (run / name).read_text()
    content = json.loads(original)
    way = data.draw(st.sampled_from(list(_ways(content))))
    (run / name).write_text(json.dumps(_replaced(content, way, value)))
    try:
        derived = derive(read_run(run))
        assert derived.verdict.status in set(Status)
        assert "verdict: " in run_text(derived)
        assert all(table.csv() for table in derived.tables.values())
        assert story(derived.run)
        assert input_groups(derived.run.facts)
        assert headline(derived)
        assert skew_sentences(derived)
    except BrokenRun:
        assert name == "run.json"
    finally:
        (run / name).write_text(original)


def test_a_slip_in_the_duration_is_named(tmp_path: Path) -> None:
    """A run of more than a day is refused before a row is made for each of its seconds."""
    path = make_run(tmp_path, Plan(duration_seconds=2))
    content = json.loads((path / "run.json").read_text()) | {"duration_seconds": 1e9}
    (path / "run.json").write_text(json.dumps(content))

    with pytest.raises(BrokenRun, match=r"<= 86400.0 - at `\$.duration_seconds`"):
        read_run(path)
