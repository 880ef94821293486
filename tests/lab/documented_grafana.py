"""A server that answers as Grafana's HTTP API is documented to, for as much of it as is used.

Grafana itself cannot be installed where the tests run.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

_LONGEST_SECONDS = 120.0
FIRST_LOGIN = "Basic " + base64.b64encode(b"admin:admin").decode()


@dataclass
class DocumentedGrafana:
    """What it was told, and how it is to behave."""

    url: str = ""
    authorization: str = FIRST_LOGIN
    annotations: list[dict[str, Any]] = field(default_factory=list)
    # while it is cleared, annotations wait for their answer
    is_answering: Event = field(default_factory=Event)
    is_grafana: bool = True
    complaint: str = ""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    grafana: DocumentedGrafana


class _Api(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Health needs no login."""
        if self.path == "/api/health" and self.server.grafana.is_grafana:
            self._answer(200, {"commit": "0", "database": "ok", "version": "13.2.3"})
        else:
            self._answer(404, {"message": "Not found"})

    def do_POST(self) -> None:
        """Annotations need the rights of an editor, a text and a time in milliseconds."""
        grafana = self.server.grafana
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        grafana.is_answering.wait(_LONGEST_SECONDS)
        if self.path != "/api/annotations":
            self._answer(404, {"message": "Not found"})
        elif grafana.complaint:
            self._answer(403, {"message": grafana.complaint})
        elif self.headers["Authorization"] != grafana.authorization:
            self._answer(401, {"message": "Invalid API key"})
        elif not content["text"]:
            self._answer(400, {"message": "text field should not be empty"})
        else:
            grafana.annotations.append(content)
            self._answer(200, {"message": "Annotation added", "id": len(grafana.annotations)})

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except BrokenPipeError:
            pass  # whoever asked has given up

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def documented_grafana() -> Iterator[DocumentedGrafana]:
    """Serve one on a port that the system chose."""
    with _Server(("127.0.0.1", 0), _Api) as server:
        server.grafana = DocumentedGrafana(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        server.grafana.is_answering.set()
        try:
            yield server.grafana
        finally:
            server.grafana.is_answering.set()
            server.shutdown()
            thread.join()
