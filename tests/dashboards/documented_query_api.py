"""A server that answers as Grafana's HTTP API is documented to: health, dashboards, queries.

It puts the queries to no Prometheus. Grafana itself cannot be installed where the tests run.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from dashboards.datacheck.questions import FOLDER


def provisioned() -> dict[str, dict[str, Any]]:
    """The dashboards of this checkout by uid, as they would be provisioned."""
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")]
    return {document["uid"]: document for document in documents}


@dataclass
class QueryApi:
    """What it holds, how it answers, and what it was asked."""

    url: str = ""
    authorization: str | None = None
    database: str = "ok"
    source: tuple[int, dict[str, str]] = (
        200,
        {"status": "OK", "message": "Successfully queried the Prometheus API."},
    )
    dashboards: dict[str, dict[str, Any]] = field(default_factory=provisioned)
    # by a word of the expression: the answer to it, where it is not one value
    answers: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def query(self, content: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answer one query as Grafana does."""
        self.asked.append(content)
        (query,) = content["queries"]
        for word, answer in self.answers.items():
            if word in query["expr"]:
                return answer[0], {"results": {query["refId"]: answer[1]}}
        fields = [{"name": "Time", "type": "time"}, {"name": "Value", "type": "number"}]
        frame = {"schema": {"fields": fields}, "data": {"values": [[1], [0.5]]}}
        return 200, {"results": {query["refId"]: {"status": 200, "frames": [frame]}}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: QueryApi


class _Page(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Health, the data source's health, or a dashboard."""
        api = self.server.api
        uid = self.path.rpartition("/")[2]
        if self.path == "/api/health":
            self._answer(200, {"commit": "0", "database": api.database, "version": "13.2.3"})
        elif api.authorization not in {None, self.headers["Authorization"]}:
            self._answer(401, {"message": "Invalid API key"})
        elif self.path == "/api/datasources/uid/prometheus/health":
            self._answer(*api.source)
        elif self.path == f"/api/dashboards/uid/{uid}" and uid in api.dashboards:
            self._answer(200, {"meta": {"provisioned": True}, "dashboard": api.dashboards[uid]})
        else:
            self._answer(404, {"message": "Dashboard not found"})

    def do_POST(self) -> None:
        """A query."""
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/ds/query":
            self._answer(*self.server.api.query(content))
        else:
            self._answer(404, {"message": "Not found"})

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def query_api() -> Iterator[QueryApi]:
    """Serve one on a port that the system chose."""
    with _Server(("127.0.0.1", 0), _Page) as server:
        server.api = QueryApi(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.api
        finally:
            server.shutdown()
            thread.join()
