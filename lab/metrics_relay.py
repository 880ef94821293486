"""Hands the generator's metrics on to containers, which cannot reach this machine's loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread

from lab.asking import NoAnswer, fetch

# A scrape has a second; whoever asks has given up by then.
_SECONDS = 1.0
_PAGE = "/metrics"


class _Relay(ThreadingTCPServer):
    """A server that gets its one page from elsewhere."""

    daemon_threads = True
    source_url: str


class _Page(BaseHTTPRequestHandler):
    """One scrape."""

    server: _Relay

    def do_GET(self) -> None:
        """Answer with what the source answers."""
        if self.path != _PAGE:
            self.send_error(404)
            return
        try:
            answer = fetch(self.server.source_url, seconds=_SECONDS)
        except NoAnswer:
            # before the run and after it nobody is there
            self.send_error(502)
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing: a scrape each second is no news."""


@contextmanager
def metrics_relay(host: str, source_url: str) -> Iterator[str | None]:
    """Serve the source's metrics at an address of this machine, and give that with its port.

    Gives None, and serves nothing, when `host` is no address of this machine.
    """
    server = _bound(host)
    if server is None:
        yield None
        return
    server.source_url = source_url
    thread = Thread(target=server.serve_forever, args=(0.1,))
    thread.start()
    try:
        yield f"{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _bound(host: str) -> _Relay | None:
    # no host would mean every address of this machine
    if not host:
        return None
    try:
        return _Relay((host, 0), _Page)
    except OSError:
        return None
