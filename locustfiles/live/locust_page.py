"""Locust's own page during a run: a tab with the hot keys, and our tables to download."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, request
from locust.web import WebUI

from locustfiles.live.tables_so_far import TABLES, NoTables, TablesSoFar
from locustfiles.recording.key_counters import HotKey
from locustfiles.run.locust_events import typed
from locustfiles.run.stopping import StopRequest

_TAB: Final = "hot-keys"
_COLUMNS: Final = (
    ("key", "Key"),
    ("op", "Operation"),
    ("hits", "Hits"),
    ("share_percent", "Share (%)"),
    ("fair_share_percent", "Fair share (%)"),
    ("heat", "Heat (share / fair share)"),
    ("p99_ms", "p99 (ms)"),
)
# Locust's Edit button has no id; should this style not find it any more, its form is refused.
_STYLE: Final = (
    "<style>.MuiButton-contained.MuiButton-colorSecondary { display: none }</style></head>"
)


@dataclass(frozen=True)
class RunOnPage:
    """What the page shows of a run."""

    run_id: str
    has_begun: Callable[[], bool]
    hot_keys: Callable[[], list[HotKey]]
    tables: TablesSoFar


class WebPage:
    """Adds our tab and downloads to Locust's page, and refuses requests that would spoil a run."""

    def __init__(self, web_ui: WebUI, base_path: str, run: RunOnPage, stop: StopRequest) -> None:
        self._web_ui = web_ui
        self._base_path = base_path
        self._run = run
        self._stop = stop

    def add(self) -> None:
        """Add everything, before the page is served."""
        web_ui = self._web_ui
        web_ui.template_args |= {
            "extended_tabs": [{"title": "Hot keys", "key": _TAB}],
            "extended_tables": [
                {
                    "key": _TAB,
                    "structure": [{"key": key, "title": title} for key, title in _COLUMNS],
                }
            ],
            "extended_csv_files": [
                {"href": f"./hotboard/{name}.csv", "title": f"Download {name}.csv so far"}
                for name in TABLES
            ],
        }
        ours: Any = Blueprint("hotboard", __name__, url_prefix=self._base_path or None)
        route = f"/hotboard/<any({', '.join(TABLES)}):table>.csv"
        protected = typed(web_ui.auth_required_if_enabled)(self._download)
        ours.add_url_rule(route, "table", protected)
        app: Any = web_ui.app
        app.register_blueprint(ours)
        app.before_request(self._refuse)
        app.after_request(self._extend)

    def _download(self, table: str) -> Response:
        try:
            text = self._run.tables.make(table)
        except NoTables as error:
            return make_response(str(error), 503)
        answer = make_response(text)
        answer.headers["Content-Type"] = "text/csv; charset=utf-8"
        name = f"{self._run.run_id}-{table}.csv"
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer

    def _refuse(self) -> Response | None:
        if request.method != "POST":
            return None
        origin = request.headers.get("Origin")
        if origin and urlsplit(origin).netloc != request.host:
            return make_response("A page of another origin cannot do this.", 403)
        if request.endpoint == "locust.stop":
            self._stop.ask("stopped on Locust's page")
        if request.endpoint == "locust.swarm" and self._run.has_begun():
            return _refusal("This run has begun: its load can be stopped, and not be changed.")
        if request.endpoint == "locust.update_user":
            return _refusal("A scenario file holds the workload: it cannot be changed here.")
        return None

    def _extend(self, answer: Response) -> Response:
        if request.endpoint == "locust.index" and answer.mimetype == "text/html":
            answer.set_data(answer.get_data(as_text=True).replace("</head>", _STYLE, 1))
        if request.endpoint == "locust.request_stats" and answer.is_json:
            statistics: dict[str, Any] = answer.get_json()
            rows = [_row(one) for one in self._run.hot_keys()]
            statistics["extended_stats"] = [{"key": _TAB, "data": rows}]
            answer.set_data(json.dumps(statistics))
        return answer


def _refusal(sentence: str) -> Response:
    """An answer in the form that Locust's page shows as an error."""
    return make_response({"success": False, "message": sentence}, 200)


def _row(one: HotKey) -> dict[str, Any]:
    return {
        "key": one.key,
        "op": one.op,
        "hits": one.hits,
        "share_percent": _rounded(one.share, 100, 2),
        "fair_share_percent": _rounded(one.fair_share, 100, 2),
        "heat": _rounded(one.heat, 1, 2),
        "p99_ms": _rounded(one.p99_seconds, 1000, 2),
    }


def _rounded(value: float | None, factor: int, digits: int) -> float | None:
    return None if value is None else round(value * factor, digits)
