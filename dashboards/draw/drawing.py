"""The page that draws one dashboard, and how a browser is brought to draw and measure it."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final, Protocol

from dashboards.datacheck.filling import fill, window
from dashboards.datacheck.questions import FOLDER

HERE: Final = Path(__file__).resolve().parent
KEPT: Final = HERE.parents[1] / ".hotboard" / "draw"
WIDTH: Final = 1400

_PAGES: Final = KEPT / "page"
_ICONS: Final = KEPT / "node_modules" / "@grafana" / "ui" / "dist" / "public"
_PATIENCE_SECONDS: Final = 60.0
# every panel has its data, and what follows from it has been laid out
_SETTLED: Final = """
const panels = [...document.querySelectorAll('[data-panel]')];
const answered = panels.length > 0 && panels.every(one => one.dataset.answer);
return answered && document.fonts.status == 'loaded'
"""
# the components measure in Inter alone, and draw in what follows it where there is none
_FONT: Final = (
    "@font-face {font-family: Inter; src: local('Inter'), local('Liberation Sans'), "
    "local('Arial'), local('Helvetica'), local('DejaVu Sans')}"
)
_HEIGHT: Final = "return document.getElementById('page').offsetHeight"


class Window(Protocol):
    """What is needed of a browser."""

    def open(self, url: str) -> None:
        """Go to an address."""

    def run(self, script: str) -> Any:  # noqa: ANN401  whatever the script returns
        """Run a script in the page, and give what it returns."""

    def resize(self, width: int, height: int) -> None:
        """Give the page so much room."""

    def screenshot(self, path: Path) -> None:
        """Save what is seen."""


@dataclass(frozen=True)
class View:
    """What a dashboard is drawn of: a Prometheus, and the time in view."""

    prometheus: str
    start: float
    end: float


def dashboards() -> dict[str, dict[str, Any]]:
    """Read the dashboards, by the names of their files."""
    return {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))
    }


@contextmanager
def serving_pages() -> Iterator[str]:
    """Serve what was bundled and the icons, since a page of a file may not fetch them."""
    handler = partial(_Quiet, directory=str(_PAGES))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def draw(
    window: Window, pages: str, dashboard: Mapping[str, Any], view: View, to: Path
) -> list[str]:
    """Draw a dashboard into a picture, and say what is wrong with it as drawn."""
    page = _PAGES / f"{to.stem}.html"
    page.write_text(_page(dashboard, view), encoding="utf-8")
    window.resize(WIDTH, 1000)
    window.open(f"{pages}/{page.name}")
    _await(window)
    window.resize(WIDTH, window.run(_HEIGHT))
    # tables and charts are laid out again in the room they have now
    time.sleep(0.5)
    window.screenshot(to)
    faults: list[str] = window.run((HERE / "measure.js").read_text(encoding="utf-8"))
    return faults


def _page(dashboard: Mapping[str, Any], view: View) -> str:
    drawing = {
        "dashboard": dashboard,
        "variables": _variables(dashboard),
        "queries": _queries(dashboard, view),
        "width": WIDTH,
        "prometheus": view.prometheus,
        "start": view.start,
        "end": view.end,
    }
    # what could end the script in which it stands
    given = json.dumps(drawing).replace("<", "\\u003c")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<link rel="stylesheet" href="draw.css"><style>{_FONT}</style></head>'
        '<body style="margin: 0"><div id="root"></div>'
        f"<script>window.DRAWING = {given};"
        "window.grafanaBootData = {settings: {featureToggles: {}}, user: {}};"
        '</script><script src="draw.js"></script></body></html>'
    )


def _variables(dashboard: Mapping[str, Any]) -> dict[str, str]:
    variables = dashboard["templating"].get("list", [])
    return {one["name"]: one["current"]["value"] for one in variables}


def _queries(dashboard: Mapping[str, Any], view: View) -> dict[int, list[dict[str, Any]]]:
    variables = _variables(dashboard)
    queries = {}
    for panel in dashboard["panels"]:
        covered = window(f"now-{round(view.end - view.start)}s", panel["gridPos"]["w"])
        filled = variables | covered.variables()
        queries[panel["id"]] = [
            {
                "expr": fill(target["expr"], filled),
                "instant": target["instant"],
                "step": covered.step_seconds,
            }
            for target in panel.get("targets", [])
        ]
    return queries


def _await(window: Window) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not window.run(_SETTLED):
        if time.monotonic() > end:
            raise TimeoutError("The dashboard was not drawn.")
        time.sleep(0.1)


class _Quiet(SimpleHTTPRequestHandler):
    """Serves the pages' folder, and Grafana's icons under the path that its components ask for."""

    def translate_path(self, path: str) -> str:
        """Find an icon among the packages, everything else beside the page."""
        icon = re.fullmatch(r"/public/(?:build/)?(img/icons/[\w/-]+\.svg)", path.partition("?")[0])
        return str(_ICONS / icon[1]) if icon else super().translate_path(path)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base's name
        """Say nothing of each request."""
