"""event_v1, event_v2: the run's community event, as an old and a new build ask for it."""

import time
from typing import Final
from urllib.parse import quote

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.event_client.errors import ServiceTrouble
from locustfiles.event_client.negotiation import event_path
from locustfiles.event_client.state import read_state
from locustfiles.operations.contract import Reply
from locustfiles.operations.reading import OK, failure_of
from locustfiles.operations.told_miles import ToldMiles
from locustfiles.plan import Plan

_MICROSECONDS: Final = 1_000_000


class EventPoll:
    """Polls the community total as a client of one version does, and notes how old it is.

    The answer is read by the client that ships, the age by this machine's clock: where the
    service runs on another one, their difference is in it. A final total can change no more: it
    has no age. A total below one that was told before the poll was sent is `behind`.
    """

    def __init__(
        self, version: int, plan: Plan, address: Address, told: ToldMiles | None = None
    ) -> None:
        self._told = told or ToldMiles()
        self.name = f"event_v{version}"
        self._version = version
        self._event_id = plan.run_id
        path = event_path(version, quote(plan.run_id, safe=""))
        head = f"GET {address.path}{path} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"
        self._request = head.encode("ascii")

    def request(self, arrival: Arrival) -> bytes:
        """Ask for the event."""
        self._told.ask_total(self.name, arrival.number)
        return self._request

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:
        """A success is about the event asked for, in the version asked for."""
        at_least = self._told.at_least(self.name, arrival.number)
        if status != OK:
            return Reply(failure_of(status, body))
        now = time.time()
        try:
            state = read_state(self._version, body)
        except ServiceTrouble:
            return Reply("bad_body")
        if state.event_id != self._event_id:
            return Reply("bad_body")
        self._told.total(state.total)
        said = "behind" if state.total < at_least else state.state
        if state.is_final:
            return Reply(None, said)
        age_us = round((now - state.as_of.timestamp()) * _MICROSECONDS)
        return Reply(None, said, age_us=max(age_us, 0))
