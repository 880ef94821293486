"""The three questions of Prometheus' HTTP API that the check needs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

TIMEOUT_SECONDS: Final = 10.0
LARGEST_BYTES: Final = 64_000_000


class QueryFailed(RuntimeError):
    """Prometheus refused a query or did not answer; the message is its own."""


@dataclass(frozen=True)
class Series:
    """One series of an answer: its labels and its values, oldest first."""

    labels: Mapping[str, str]
    values: tuple[float, ...]


@dataclass(frozen=True)
class PrometheusApi:
    """A Prometheus at a URL."""

    url: str

    def instant(self, expr: str, at: float) -> list[Series]:
        """Ask for one value of each series."""
        answer = self._get("query", {"query": expr, "time": at})
        if answer["resultType"] == "scalar":
            return [Series({}, (float(answer["result"][1]),))]
        return [Series(one["metric"], (float(one["value"][1]),)) for one in answer["result"]]

    def range(self, expr: str, start: float, end: float, step: int) -> list[Series]:
        """Ask for one value of each series at every step."""
        asked = {"query": expr, "start": start, "end": end, "step": step}
        return [
            Series(one["metric"], tuple(float(value) for _, value in one["values"]))
            for one in self._get("query_range", asked)["result"]
        ]

    def _get(self, call: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("GET", f"/api/v1/{call}?{urlencode(arguments)}")
            answer: dict[str, Any] = json.loads(connection.getresponse().read(LARGEST_BYTES))
        except (OSError, HTTPException, ValueError) as error:
            raise QueryFailed(f"{self.url} did not answer: {error}") from error
        finally:
            connection.close()
        if answer["status"] != "success":
            raise QueryFailed(answer["error"])
        data: dict[str, Any] = answer["data"]
        return data
