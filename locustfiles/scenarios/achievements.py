"""Members with a history before the load, and a sweep in the middle of it."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

import gevent

from locustfiles.http.attempt import Attempt, get, post_json, put_json
from locustfiles.http.connection import Connection
from locustfiles.http.dialer import Address
from locustfiles.operations.places import Members
from locustfiles.run.inputs import RunInputs
from locustfiles.scenarios.preparation import require_capability, send_for_each
from locustfiles.schedule.clock import ScheduleClock

_SEED: Final = 20_260_906
_MOST_VIEWS: Final = 5_000
_SECONDS: Final = 10.0
_AT_ONCE: Final = 32
_POLL_SECONDS: Final = 0.02


def history_of(player: int) -> dict[str, int]:
    """All six counters: few members have many views, and each step leaves fewer."""
    rng = Random(f"{_SEED}-{player}")
    views = int(_MOST_VIEWS * rng.random() ** 2)
    visitors = int(views * rng.uniform(0.3, 0.7))
    signups = int(visitors * rng.uniform(0, 0.05))
    organizations = int(signups * rng.uniform(0, 0.4))
    return {
        "page_views": views,
        "unique_visitors": visitors,
        "link_clicks": int(views * rng.uniform(0, 0.2)),
        "signups": signups,
        "organizations": organizations,
        "paid_accounts": int(organizations * rng.uniform(0, 0.5)),
    }


def make_hooks(inputs: RunInputs) -> "AchievementsHooks":
    """The hooks of the scenario.

    Raises:
        BadInput: the service has no achievements.
    """
    require_capability(inputs, "achievements", "achievements")
    return AchievementsHooks(inputs)


class AchievementsHooks:
    """Makes the members, starts a sweep at half time, and records when it ran."""

    def __init__(self, inputs: RunInputs) -> None:
        self._plan = inputs.plan
        self._dialer = inputs.dialer
        self._members = Members(inputs.plan)
        self._made = 0
        self._sweep: dict[str, Any] = {}
        self._sweeping: gevent.Greenlet[..., None] | None = None

    def prepare(self, check: Callable[[], None]) -> None:
        """Make every member."""
        players, dialer = self._plan.players, self._dialer
        send_for_each("Making the members", players, self._make, dialer, _AT_ONCE, check)

    def begin(self, second_zero_at: int) -> None:
        """Start the sweep at half time."""
        clock = ScheduleClock.with_second_zero_at(second_zero_at)
        self._sweeping = gevent.spawn(self._run_sweep, clock)

    def end(self) -> None:
        """Stop waiting for the sweep."""
        if self._sweeping is not None:
            self._sweeping.kill()

    def facts(self) -> dict[str, Any]:
        """The members, and the sweep with the seconds of the measured phase in which it ran."""
        return {
            "achievements": {
                "members": self._made,
                "organizations": self._members.organizations,
                "sweep": self._sweep,
            }
        }

    def _make(self, connection: Connection, player: int) -> Attempt:
        """Make one member, with a history; the outcome is that of the last request sent."""
        address, member = self._dialer.address, self._members.member_id(player)
        organization = self._members.organization(player)
        described = {"organization": organization, "tracking_code": f"code-{member}"[:64]}
        outcome = _put(connection, address, f"/v1/members/{member}", described)
        if outcome.is_ok:
            history = history_of(player)
            outcome = _put(connection, address, f"/v1/members/{member}/counters", history)
        self._made += outcome.is_ok
        return outcome

    def _run_sweep(self, clock: ScheduleClock) -> None:
        connection = Connection(self._dialer)
        gevent.sleep(max(self._plan.duration_seconds / 2 - clock.now_seconds(), 0))
        address = self._dialer.address
        from_second = clock.now_seconds()
        outcome = post_json(connection, address, "/v1/sweeps", b"", _SECONDS)
        while (sweep := outcome.document()) is not None:
            self._sweep = sweep | {
                "from_second": round(from_second, 3),
                "to_second": round(clock.now_seconds(), 3),
            }
            if self._sweep.get("ended_at") is not None:
                break
            gevent.sleep(_POLL_SECONDS)
            path = f"/v1/sweeps/{self._sweep.get('number')}"
            outcome = get(connection, address, path, _SECONDS)
        else:
            self._sweep["trouble"] = outcome.in_words()
        connection.close()


def _put(connection: Connection, address: Address, path: str, value: Mapping[str, Any]) -> Attempt:
    return put_json(connection, address, path, json.dumps(value).encode("ascii"), _SECONDS)
