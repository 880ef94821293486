"""The community event of a run: made before the load, open during it, read after it."""

import re
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import gevent

from locustfiles.attempt import Attempt
from locustfiles.clock import ScheduleClock
from locustfiles.connection import Connection
from locustfiles.errors import RunCutShort
from locustfiles.event_client.errors import EventClientError
from locustfiles.event_client.negotiation import VERSIONS_PATH, chosen_version, event_path
from locustfiles.event_client.state import KNOWN_VERSIONS
from locustfiles.inputs import RunInputs
from locustfiles.key_counters import number
from locustfiles.operations import Places
from locustfiles.plain_request import get, post_json, put_json
from locustfiles.scenarios.event_window import EventWindow, body_of, window_of
from locustfiles.scenarios.preparation import require_capability, require_ok, send_for_each

_SECONDS: Final = 10.0
_JOINED_AT_MOST: Final = 1_000
_JOINING_AT_ONCE: Final = 16
_TOLD_SECONDS: Final = 5.0
_BETWEEN_SECONDS: Final = 0.2
_OLD_BUILD: Final = frozenset({1})
_READS: Final = re.compile(rb'^odometer_reads_total\{source="(\w+)"\} (\S+)', re.MULTILINE)


def companion(inputs: RunInputs) -> "OdometerCompanion":
    """The companion of a run.

    Raises:
        BadInput: the service keeps no community events.
    """
    require_capability(inputs, "community_events", "community events")
    return OdometerCompanion(inputs)


class OdometerCompanion:
    """Makes the event and lets players join, then reads the service's counts of reads."""

    def __init__(self, inputs: RunInputs) -> None:
        self._plan = inputs.plan
        self._description = inputs.description.verbatim
        self._dialer = inputs.dialer
        self._connection = Connection(inputs.dialer)
        self._event = quote(inputs.plan.run_id, safe="")
        self._reads: dict[str, dict[str, float]] = {}
        self._versions: dict[str, int] = {}
        self._final: dict[str, Any] | None = None
        self._joined = 0
        self._ends_at = 0.0
        self._watch: gevent.Greenlet[..., None] | None = None

    def prepare(self, check: Callable[[], None]) -> None:
        """Agree on versions as both builds do, make the event, and let players join."""
        told = get(self._connection, self._dialer.address, VERSIONS_PATH, _SECONDS)
        try:
            for build, known in (("old", _OLD_BUILD), ("new", KNOWN_VERSIONS)):
                self._versions[build] = chosen_version(known, told.status, told.body)
        except EventClientError as error:
            raise RunCutShort("failed-to-load", str(error)) from None
        self._put(window_of(self._plan, None))
        self._join_all(check)

    def begin(self, second_zero_at: int) -> None:
        """Give the event its window, now that it is known when the measured phase begins."""
        window = window_of(self._plan, second_zero_at)
        self._put(window)
        self._ends_at = window.ends_at_ms / 1_000
        clock = ScheduleClock.with_second_zero_at(second_zero_at)
        self._watch = gevent.spawn(self._read_counts, clock)

    def end(self) -> None:
        """Read how the event ended, if it did."""
        if self._watch is not None:
            self._watch.kill()
        path = event_path(2, self._event)
        # What polls are told lags behind the end by two refresh intervals.
        told_until = self._ends_at + _TOLD_SECONDS
        while True:
            outcome = get(self._connection, self._dialer.address, path, _SECONDS)
            self._final = outcome.document() or self._final
            is_final = self._final is not None and self._final.get("final") is not None
            if is_final or not self._ends_at <= time.time() < told_until:
                break
            gevent.sleep(_BETWEEN_SECONDS)
        self._connection.close()

    def facts(self) -> dict[str, Any]:
        """The event as it ended, and how often its total was read from where."""
        service = self._description.get("service") or {}
        return {
            "community_event": {
                "event": self._final,
                "versions": self._versions,
                "joined": self._joined,
                "reads_mode": self._description.get("odometer_reads"),
                "service_workers": service.get("workers"),
                "reads": self._reads,
            }
        }

    def _put(self, window: EventWindow) -> None:
        body = body_of(self._plan, window)
        path = event_path(1, self._event)
        outcome = put_json(self._connection, self._dialer.address, path, body, _SECONDS)
        require_ok(outcome, "Making the event")

    def _join_all(self, check: Callable[[], None]) -> None:
        """Let the first players join."""
        places, address = Places(self._plan), self._dialer.address

        def join(connection: Connection, player: int) -> Attempt:
            path = f"/v1/events/{self._event}/players/{places.player_id(player)}/join"
            return post_json(connection, address, path, b"{}", _SECONDS)

        players = min(self._plan.players, _JOINED_AT_MOST)
        send_for_each("Joining the event", players, join, self._dialer, _JOINING_AT_ONCE, check)
        self._joined = players

    def _read_counts(self, clock: ScheduleClock) -> None:
        """Read the counts of reads as the measured phase begins, and as it ends."""
        connection = Connection(self._dialer)
        for name, second in (("start", 0), ("end", self._plan.duration_seconds)):
            gevent.sleep(max(second - clock.now_seconds(), 0))
            outcome = get(connection, self._dialer.address, "/metrics", _SECONDS)
            if outcome.is_ok:
                found = _READS.findall(outcome.body)
                counts = {source.decode(): number(count) or 0.0 for source, count in found}
                self._reads[name] = counts | {"at_second": round(clock.now_seconds(), 3)}
        connection.close()
