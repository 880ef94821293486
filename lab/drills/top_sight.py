"""Looks at the global top over one connection, so that the same worker of the service answers."""

import http.client
import json
from datetime import datetime
from types import TracebackType
from typing import NamedTuple, Self

from lab.asking import connection_to, whole_body
from lab.drills.run_clock import RunClock

_SECONDS = 5.0
_PATH = "/v1/top?k=1"


class TopSight(NamedTuple):
    """One look, in seconds of the schedule: when, and of which time the answer was, if one came."""

    second: float
    as_of: float | None

    @property
    def age_seconds(self) -> float:
        """How old the answer was."""
        return 0.0 if self.as_of is None else self.second - self.as_of


class TopEye:
    """A keep-alive connection to the service, opened again after a failure."""

    def __init__(self, service_url: str, clock: RunClock) -> None:
        self._connection = connection_to(service_url, _SECONDS)
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def look(self) -> TopSight:
        """Ask once; whatever is no answer is none."""
        try:
            self._connection.request("GET", _PATH)
            answer = self._connection.getresponse()
            body = whole_body(answer)
            now = self._clock.now_seconds()
            if answer.status != http.client.OK:
                return TopSight(now, None)
            as_of = datetime.fromisoformat(json.loads(body)["as_of"]).timestamp()
            return TopSight(now, as_of - self._clock.epoch(0))
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            self._connection.close()
            return TopSight(self._clock.now_seconds(), None)
