"""A program in Grafana's place: it answers its health check and shows what it was started with."""

import sys
import textwrap
from pathlib import Path

_PROGRAM = """\
#!{python}
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer

class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps([sys.argv[1:], dict(os.environ)]).encode())

    def log_message(self, *words):
        pass

address = os.environ["GF_SERVER_HTTP_ADDR"], int(os.environ["GF_SERVER_HTTP_PORT"])
if {is_ready}:
    HTTPServer(address, Page).serve_forever()
time.sleep(60)
"""


def install(folder: Path, *, is_ready: bool = True) -> Path:
    """Lay it out as an unpacked archive of Grafana is, and give the program."""
    (folder / "conf").mkdir(parents=True)
    (folder / "conf" / "defaults.ini").touch()
    program = folder / "bin" / "grafana"
    program.parent.mkdir()
    text = _PROGRAM.format(python=sys.executable, is_ready=is_ready)
    program.write_text(textwrap.dedent(text), encoding="utf-8")
    program.chmod(0o755)
    return program
