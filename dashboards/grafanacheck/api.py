"""What the check asks of Grafana's HTTP API, through the library grafana-api."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from grafana_api.grafana_api import GrafanaException  # type: ignore[import-untyped]  # no types
from grafana_api.grafana_face import GrafanaFace  # type: ignore[import-untyped]  # no types
from requests import RequestException

_ANSWER_SECONDS: Final = 10.0
# The first login of a Grafana that nobody has changed: that of compose and of `make watch`.
_FIRST_LOGIN: Final = ("admin", "admin")
_DEFAULT_PORT: Final = "3000"
# Less is a word that may stand anywhere; tokens of Grafana are longer.
_SHORTEST_SECRET: Final = 8
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class GrafanaRefused(RuntimeError):
    """Grafana does not answer, or not with what was asked for; the message says what it said."""


@dataclass(frozen=True)
class Address:
    """Where Grafana is, and the token that opens it; without one its first login is tried."""

    url: str
    token: str | None

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Address":
        """Read GRAFANA_URL, else GRAFANA_PORT on this machine, and GRAFANA_TOKEN.

        Raises:
            GrafanaRefused: it is no address.
        """
        if "@" in environment.get("GRAFANA_URL", ""):
            # it may hold a password, and is not shown
            raise GrafanaRefused("GRAFANA_URL names a user, who is not sent: leave that out.")
        port = environment.get("GRAFANA_PORT", "").strip() or _DEFAULT_PORT
        url = environment.get("GRAFANA_URL", "").strip() or f"http://127.0.0.1:{port}"
        try:
            parts = urlsplit(url)
            is_address = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address:
            raise GrafanaRefused(
                f"{url} is no address of a Grafana: give one such as http://127.0.0.1:3000 in "
                "GRAFANA_URL, or a port in GRAFANA_PORT."
            )
        return cls(url.rstrip("/"), environment.get("GRAFANA_TOKEN", "").strip() or None)

    def shown(self, said: str) -> str:
        """What Grafana said, without the token and without what a terminal would obey."""
        is_secret = self.token is not None and len(self.token) >= _SHORTEST_SECRET
        told = said.replace(str(self.token), "***") if is_secret else said
        return "".join(
            one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in told
        )


class GrafanaApi:
    """A Grafana at an address; every question raises GrafanaRefused when it is not answered."""

    def __init__(self, address: Address) -> None:
        parts = urlsplit(address.url)
        prefix = parts.path.strip("/")
        self._url = address.url
        self._face = GrafanaFace(
            address.token or _FIRST_LOGIN,
            host=parts.hostname,
            port=parts.port,
            url_path_prefix=f"{prefix}/" if prefix else "",
            protocol=parts.scheme,
            timeout=_ANSWER_SECONDS,
        )
        # a proxy of the shell's leads to other machines, never to this one
        self._face.api.s.trust_env = parts.hostname not in _LOOPBACK

    def version(self) -> str:
        """Its version, when it is healthy."""
        health = self._asked(self._face.api.GET, "/health")
        if health.get("database") != "ok":
            raise GrafanaRefused(f"Grafana at {self._url} is not healthy: {health}.")
        return str(health.get("version", "of an unknown version"))

    def source_says(self, uid: str) -> str:
        """What its data source says of itself, when it is healthy."""
        health = self._asked(self._face.api.GET, f"/datasources/uid/{uid}/health")
        if health.get("status") != "OK":
            raise GrafanaRefused(str(health.get("message", health)))
        return str(health.get("message", "OK"))

    def dashboard(self, uid: str) -> dict[str, Any]:
        """The dashboard of that uid."""
        found: dict[str, Any] = self._asked(self._face.dashboard.get_dashboard, uid)["dashboard"]
        return found

    def values(self, query: Mapping[str, Any], from_ms: int, to_ms: int) -> int:
        """How many values a query of a panel answers with."""
        asked = {"queries": [query], "from": str(from_ms), "to": str(to_ms)}
        answer = self._asked(self._face.api.POST, "/ds/query", asked)
        result = answer["results"][query["refId"]]
        if result.get("error"):
            raise GrafanaRefused(str(result["error"]))
        columns = [frame["data"]["values"] for frame in result.get("frames", [])]
        return sum(len(one[0]) for one in columns if one)

    def _asked(self, question: Callable[..., Any], *words: Any) -> dict[str, Any]:  # noqa: ANN401  as the library
        try:
            answer = question(*words)
        except GrafanaException as error:
            raise GrafanaRefused(str(error.message)) from None
        except (RequestException, ValueError, TypeError) as error:
            reason = type(error).__name__
            raise GrafanaRefused(f"{self._url} does not answer as Grafana does: {reason}") from None
        if not isinstance(answer, dict):
            raise GrafanaRefused(f"{self._url} does not answer as Grafana does: {answer!r}")
        return answer
