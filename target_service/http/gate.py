"""Who may ask: not a page of another site that has a visitor's browser send its requests here.

A browser sends such a page's POST without asking first, and tells in `Origin` whose page it is. A
name that is made to lead here once the page is loaded (DNS rebinding) makes both the same; then
`Host` tells. Whoever sends neither is no browser.
"""

import socket
from functools import lru_cache
from ipaddress import ip_address

from starlette.types import Scope

from target_service.http.problems import ForeignHost, ForeignOrigin, Problem
from target_service.settings import PREFIX, Settings

# What watches the service names it as it likes, and changes nothing.
_FOR_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
_READS = frozenset({"GET", "HEAD"})
# Names that nobody can have in the public DNS.
_PRIVATE = (".localhost", ".internal")
_JUDGED_KEPT = 1_024


class Gate:
    """Judges a request by its `Host` and its `Origin`."""

    def __init__(self, settings: Settings) -> None:
        self._allowed = frozenset(name.lower() for name in settings.allowed_hosts)
        own = {settings.host.lower(), socket.gethostname().lower()}
        self._names = self._allowed | own
        self._is_ours = lru_cache(_JUDGED_KEPT)(self._judge)

    def refusal(self, scope: Scope) -> Problem | None:
        """Return why the request is refused, or None."""
        host = origin = None
        for name, value in scope["headers"]:
            if name == b"host":
                if not self._is_ours(value) and not _is_probe(scope):
                    return ForeignHost(
                        "This service is not known by that host name; add it to "
                        f"{PREFIX}ALLOWED_HOSTS if it is."
                    )
                host = value
            elif name == b"origin":
                origin = value
        if origin is None or self._is_of_this_site(origin, host):
            return None
        return ForeignOrigin(
            "A browser sends this for a page of another site; add that site's host name to "
            f"{PREFIX}ALLOWED_HOSTS if it may."
        )

    def _is_of_this_site(self, origin: bytes, host: bytes | None) -> bool:
        _, scheme, named = origin.partition(b"://")
        return bool(scheme) and (named == host or _name_of(named) in self._allowed)

    def _judge(self, host: bytes) -> bool:
        """Whether a host may be ours: by its form, since a page elsewhere has a public name."""
        name = _name_of(host)
        is_private = "." not in name or name.endswith(_PRIVATE) or _is_address(name)
        return is_private or name in self._names or "*" in self._allowed


def _is_probe(scope: Scope) -> bool:
    return scope["path"] in _FOR_PROBES and scope["method"] in _READS


def _name_of(host: bytes) -> str:
    """Return the name or address without the port."""
    name, colon, port = host.decode("latin-1").rpartition(":")
    if not colon or not port.isdigit():
        name = host.decode("latin-1")
    return name.strip("[]").rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
