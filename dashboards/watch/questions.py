"""A page of Prometheus with each question of the dashboard *Hot keys* as a query that is ready."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from dashboards.datacheck.filling import fill, window
from dashboards.datacheck.questions import Dashboard, Question, read

TITLE: Final = "Hot keys"
# where Prometheus serves the pages it was given with --web.console.templates
ADDRESS: Final = "consoles/hot-keys.html"

_GRAPH, _TABLE = 0, 1
_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}: ready queries</title>
<style>body {{ font: 16px/1.5 sans-serif; margin: 2em }} li {{ margin: .3em 0 }}</style></head>
<body><h1>{title}: ready queries</h1>
<p>One link for each panel of the dashboard; it opens the panel's queries here, in Prometheus.</p>
<ul>
{links}
</ul></body></html>
"""


def questions_page(folder: Path, prefix: str) -> None:
    """Write the page into a folder of such pages; the prefix is where Prometheus' own begin."""
    hot_keys = next(one for one in read() if one.title == TITLE)
    links = "\n".join(
        f'<li><a href="{escape(link)}">{escape(panel)}</a></li>'
        for panel, link in _links(hot_keys, prefix)
    )
    folder.mkdir(exist_ok=True)
    (folder / Path(ADDRESS).name).write_text(_PAGE.format(title=TITLE, links=links), "utf-8")


def _links(dashboard: Dashboard, prefix: str) -> Iterable[tuple[str, str]]:
    chosen = {variable.name: variable.current for variable in dashboard.variables}
    for panel, questions in groupby(dashboard.questions, lambda question: question.panel):
        yield fill(panel, chosen), f"{prefix}/graph?{_asked(list(questions), dashboard, chosen)}"


def _asked(questions: Sequence[Question], dashboard: Dashboard, chosen: dict[str, str]) -> str:
    given: dict[str, str | int] = {}
    for i, question in enumerate(questions):
        covered = window(dashboard.since, question.width)
        given[f"g{i}.expr"] = fill(question.expr, chosen | covered.variables())
        given[f"g{i}.tab"] = _TABLE if question.instant else _GRAPH
        given[f"g{i}.range_input"] = dashboard.since.removeprefix("now-")
    return urlencode(given)
