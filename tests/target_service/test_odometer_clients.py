"""Clients of both ages through a whole event of a running service."""

import pytest
from durable_service import eventually
from event_service import EventService, now_ms
from odometer_events import race, settings

from locustfiles.event_client import EventClient, UnknownEvent, UrlTransport


def test_an_old_client_goes_through_a_whole_event(service: EventService) -> None:
    """It is told total and tier in the shape it knows, from before the opening to the end."""
    at_ms = now_ms()
    # Long enough for each state to be seen, also by who is held up for a moment.
    window = settings(at_ms + 2_000, at_ms + 4_500, grace_seconds=3, refresh_ms=50)
    tiers = [{"name": "bronze", "threshold": 10}]
    event_id = service.make(**window | {"tiers": tiers})
    transport = UrlTransport(str(service.durable.http.base_url))
    old, new = EventClient(transport, reads=(1,)), EventClient(transport)
    seen = [(old.event(event_id), new.event(event_id))]
    bodies = [race(event_id, f"r{n}", at_ms + 2_500) for n in range(3)]

    def is_over() -> bool:
        if bodies and now_ms() >= at_ms + 2_500:
            service.durable.http.post("/v1/races", json=bodies.pop())
        seen.append((old.event(event_id), new.event(event_id)))
        return all(one.is_final for one in seen[-1])

    assert eventually(is_over)
    olds, news = zip(*seen, strict=True)
    assert {one.version for one in olds} == {1}
    assert {one.version for one in news} == {2}
    assert list(dict.fromkeys(one.state for one in olds)) == ["scheduled", "open", "closed"]
    assert "closing" in {one.state for one in news}
    assert [one.total for one in olds] == sorted(one.total for one in olds)
    assert (olds[-1].total, olds[-1].tier) == (news[-1].total, news[-1].tier) == (15, "bronze")


def test_an_old_client_hears_of_events_that_are_not_there(service: EventService) -> None:
    """As of an event nobody made, and of nothing worse."""
    client = EventClient(UrlTransport(str(service.durable.http.base_url)), reads=(1,))

    with pytest.raises(UnknownEvent, match="no event never made"):
        client.event("never made")
