"""The community event of a run: made before the load, open during it, read after it."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final
from urllib.parse import quote

import gevent

from locustfiles.errors import RunCutShort
from locustfiles.event_client import (
    KNOWN_VERSIONS,
    VERSIONS_PATH,
    EventClientError,
    chosen_version,
    event_path,
)
from locustfiles.http.attempt import Attempt, get, post_json, put_json
from locustfiles.http.connection import Connection
from locustfiles.operations.odometer import MOST_MILES
from locustfiles.operations.places import Places
from locustfiles.recording.key_counters import number
from locustfiles.run.inputs import RunInputs
from locustfiles.run.plan import Plan
from locustfiles.scenarios.preparation import require_capability, require_ok, send_for_each
from locustfiles.schedule.clock import ScheduleClock, timestamp

REFRESH_MS: Final = 1_000
_OPENS: Final = Fraction(1, 10)
_CLOSES: Final = Fraction(4, 5)
_GRACE: Final = Fraction(1, 20)
_LONGEST_GRACE_SECONDS: Final = 5
# Shares of the expected miles: one tier that should be reached, and two that should not.
_TIERS: Final = (("bronze", Fraction(4, 5)), ("silver", Fraction(6, 5)), ("gold", Fraction(8, 5)))
_LATER_SECONDS: Final = 3_600
_SECONDS: Final = 10.0
_JOINED_AT_MOST: Final = 1_000
_JOINING_AT_ONCE: Final = 16
# How long after its end an event may take to be final for those who read it.
_FINAL_WITHIN_SECONDS: Final = 5.0
_BETWEEN_SECONDS: Final = 0.2
_OLD_BUILD: Final = frozenset({1})
_READS: Final = re.compile(rb'^odometer_reads_total\{source="(\w+)"\} (\S+)', re.MULTILINE)


@dataclass(frozen=True)
class EventWindow:
    """The window of the event, in milliseconds since 1970, and its grace."""

    opens_at_ms: int
    closes_at_ms: int
    grace_seconds: int

    @property
    def ends_at_ms(self) -> int:
        """When the grace is over and the event can be final."""
        return self.closes_at_ms + 1_000 * self.grace_seconds


def window_of(plan: Plan, second_zero_at: int | None) -> EventWindow:
    """The window within the measured phase; in an hour while it is not known when that begins."""
    start_ms = 1_000 * (int(time.time()) + _LATER_SECONDS)
    if second_zero_at is not None:
        start_ms = 1_000 * second_zero_at
    long_ms = 1_000 * plan.duration_seconds
    grace_seconds = min(int(plan.duration_seconds * _GRACE), _LONGEST_GRACE_SECONDS)
    return EventWindow(
        start_ms + int(long_ms * _OPENS), start_ms + int(long_ms * _CLOSES), grace_seconds
    )


def expected_miles(plan: Plan) -> int:
    """The miles of the races that finish inside the window, on average."""
    rate = plan.rates_per_second.get("races", Fraction(0))
    seconds = plan.duration_seconds * (_CLOSES - _OPENS)
    fresh = 1 - Fraction(str(plan.load.resent_share))
    return int(rate * seconds * fresh * Fraction(MOST_MILES + 1, 2))


def body_of(plan: Plan, window: EventWindow) -> bytes:
    """The body that makes the event."""
    expected = expected_miles(plan)
    thresholds = {name: int(expected * part) for name, part in _TIERS}
    rising = len({0, *thresholds.values()}) > len(_TIERS)
    return json.dumps(
        {
            "aggregate": {"field": "miles", "kind": "sum", "unit": "miles"},
            "opens_at": timestamp(window.opens_at_ms / 1_000),
            "closes_at": timestamp(window.closes_at_ms / 1_000),
            "grace_seconds": window.grace_seconds,
            "refresh_ms": REFRESH_MS,
            # A run too small for three different thresholds is a measurement.
            "tiers": [
                {"name": name, "threshold": threshold} for name, threshold in thresholds.items()
            ]
            if rising
            else [],
        }
    ).encode("ascii")


def make_hooks(inputs: RunInputs) -> "OdometerHooks":
    """The hooks of the scenario.

    Raises:
        BadInput: the service has no community events.
    """
    require_capability(inputs, "community_events", "community events")
    return OdometerHooks(inputs)


class OdometerHooks:
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
        answer = get(self._connection, self._dialer.address, VERSIONS_PATH, _SECONDS)
        try:
            for build, known in (("old", _OLD_BUILD), ("new", KNOWN_VERSIONS)):
                self._versions[build] = chosen_version(known, answer.status, answer.body)
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
        # Reads lag behind the end by two refresh intervals.
        read_until = self._ends_at + _FINAL_WITHIN_SECONDS
        while True:
            outcome = get(self._connection, self._dialer.address, path, _SECONDS)
            self._final = outcome.document() or self._final
            is_final = self._final is not None and self._final.get("final") is not None
            if is_final or not self._ends_at <= time.time() < read_until:
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
