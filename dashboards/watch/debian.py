"""Prometheus' own page: where its files are, and how this version calls it.

Debian's reads its page from files, which lie elsewhere when it was only unpacked, and serves the
page of old, under an address of its own.
"""

from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

_PATIENCE_SECONDS = 10.0
_NOT_FOUND = 404


def web_page_options(program: Path) -> list[str]:
    """The option that names the page's files, for a program that has them beside it."""
    assets = program.resolve().parents[1] / "share" / "prometheus" / "web"
    return [f"--web.local-assets={assets}"] if assets.is_dir() else []


def web_page_of(url: str) -> str:
    """Where the pages of the Prometheus that runs at a URL begin."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=_PATIENCE_SECONDS)
    try:
        connection.request("GET", "/alerts")
        is_elsewhere = connection.getresponse().status == _NOT_FOUND
    except (OSError, HTTPException):
        # whoever looks at the page will be told by the browser
        return url
    finally:
        connection.close()
    return f"{url}/classic" if is_elsewhere else url
