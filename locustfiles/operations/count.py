"""count: one beacon or conversion of a member, `POST /v1/members/{id}/counters`."""

from typing import Final

import msgspec

from locustfiles.address import Address
from locustfiles.arrival import Arrival
from locustfiles.operations.contract import Reply
from locustfiles.operations.members import Members
from locustfiles.operations.reading import read_answer
from locustfiles.plan import Plan

# Of twenty events: page views, half of them by somebody new, clicks, and a conversion or two.
_ADDS: Final = (
    *('"page_views":1',) * 10,
    *('"page_views":1,"unique_visitors":1',) * 5,
    *('"link_clicks":1',) * 3,
    '"signups":1',
    '"signups":1,"organizations":1',
)


class _Answer(msgspec.Struct):
    applied: int
    duplicate: int


_decoder = msgspec.json.Decoder(_Answer)


class Count:
    """Adds to a member's counters; which ones, the arrival's number says."""

    name = "count"

    def __init__(self, plan: Plan, address: Address, members: Members) -> None:
        self._members = members
        self._event_prefix = plan.run_id
        self._head = f"POST {address.path}/v1/members/"
        self._tail = (
            f"/counters HTTP/1.1\r\nHost: {address.host_header}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )

    def request(self, arrival: Arrival) -> bytes:
        """Count one event of the arrival's member."""
        number = arrival.number
        body = f'{{"event_id":"{self._event_prefix}-{number}",{_ADDS[number % len(_ADDS)]}}}'
        member = self._members.member_id(arrival.player)
        return f"{self._head}{member}{self._tail}{len(body)}\r\n\r\n{body}".encode("ascii")

    def judge(self, arrival: Arrival, status: int, body: bytes) -> Reply:  # noqa: ARG002  (the contract's)
        """A success tells whether the event was new."""
        answer = read_answer(_decoder, status, body)
        if isinstance(answer, Reply):
            return answer
        if (answer.applied, answer.duplicate) == (1, 0):
            return Reply(None, "applied")
        return Reply(None, "duplicate") if answer.duplicate == 1 else Reply("bad_body")
