"""Members with a history before the load, and a sweep in the middle of it."""

import json
from collections.abc import Callable
from typing import Any, Final

import gevent
from gevent.pool import Pool

from locustfiles.attempt import Attempt
from locustfiles.clock import ScheduleClock
from locustfiles.connection import Connection
from locustfiles.errors import BadInput, RunCutShort
from locustfiles.inputs import RunInputs
from locustfiles.operations.members import Members
from locustfiles.plain_request import get, post_json, put_json
from locustfiles.scenarios.member_history import history_of

_SECONDS: Final = 10.0
_AT_ONCE: Final = 32
_OK: Final = 200
_POLL_SECONDS: Final = 0.02


def companion(inputs: RunInputs) -> "AchievementsCompanion":
    """The companion of a run.

    Raises:
        BadInput: the service knows no achievements.
    """
    capabilities = inputs.description.verbatim.get("capabilities") or {}
    if not capabilities.get("achievements"):
        raise BadInput(
            f"{inputs.plan.target} keeps no achievements: start it with a ledger "
            "(leave out LEDGER=none)."
        )
    return AchievementsCompanion(inputs)


class AchievementsCompanion:
    """Makes the members, begins the sweep at half time, and notes from when to when it ran."""

    def __init__(self, inputs: RunInputs) -> None:
        self._plan = inputs.plan
        self._dialer = inputs.dialer
        self._members = Members(inputs.plan)
        self._made = 0
        self._sweep: dict[str, Any] = {}
        self._sweeping: gevent.Greenlet[..., None] | None = None

    def prepare(self, check: Callable[[], None]) -> None:
        """Make every member, some at a time, each over a connection of its own."""
        connections = [Connection(self._dialer) for _ in range(_AT_ONCE)]
        refused: list[Attempt] = []

        def make(lane: int) -> None:
            for player in range(lane, self._plan.players, _AT_ONCE):
                outcome = self._make(connections[lane], player)
                if outcome is not None:
                    refused.append(outcome)
                    return
                self._made += 1

        pool = Pool(_AT_ONCE)
        for lane in range(_AT_ONCE):
            pool.spawn(make, lane)
        try:
            while not pool.join(timeout=0.05):
                check()
        finally:
            pool.kill()
            for connection in connections:
                connection.close()
        if refused:
            raise RunCutShort("failed-to-load", f"Making the members failed: {_told(refused[0])}.")

    def begin(self, second_zero_at: int) -> None:
        """Have the sweep begin at half time."""
        clock = ScheduleClock.with_second_zero_at(second_zero_at)
        self._sweeping = gevent.spawn(self._run_sweep, clock)

    def end(self) -> None:
        """Wait for the sweep no longer."""
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

    def _make(self, connection: Connection, player: int) -> Attempt | None:
        """Make one member; return the answer that was no success, if one was none."""
        address, member = self._dialer.address, self._members.member_id(player)
        organization = self._members.organization(player)
        body = json.dumps({"organization": organization, "tracking_code": f"code-{member}"[:64]})
        history = json.dumps(history_of(player))
        for path, what in ((member, body), (f"{member}/counters", history)):
            outcome = put_json(
                connection, address, f"/v1/members/{path}", what.encode("ascii"), _SECONDS
            )
            if outcome.status != _OK:
                return outcome
        return None

    def _run_sweep(self, clock: ScheduleClock) -> None:
        connection = Connection(self._dialer)
        gevent.sleep(max(self._plan.duration_seconds / 2 - clock.now_seconds(), 0))
        address = self._dialer.address
        from_second = clock.now_seconds()
        outcome = post_json(connection, address, "/v1/sweeps", b"", _SECONDS)
        while outcome.status == _OK:
            self._sweep = json.loads(outcome.body)
            self._sweep |= {
                "from_second": round(from_second, 3),
                "to_second": round(clock.now_seconds(), 3),
            }
            if self._sweep["ended_at"] is not None:
                break
            gevent.sleep(_POLL_SECONDS)
            path = f"/v1/sweeps/{self._sweep['number']}"
            outcome = get(connection, address, path, _SECONDS)
        else:
            self._sweep["trouble"] = _told(outcome)
        connection.close()


def _told(outcome: Attempt) -> str:
    if outcome.failure is not None:
        return f"no answer ({outcome.failure})"
    shown = outcome.body[:500].decode("utf-8", "replace")
    return f"the service answered {outcome.status} with {shown}"
