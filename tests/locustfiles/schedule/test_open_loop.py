import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gevent
from gevent.event import Event
from gevent.socket import socket
from gevent_server import Peer, Script, always, answer, serving, silent, until
from load_plans import PLAN

from locustfiles.operations import MAKERS
from locustfiles.operations.odometer import AcknowledgedMiles
from locustfiles.recording.recorder import Recorder
from locustfiles.recording.recording import OperationRecord, Recording
from locustfiles.recording.request_log import NoRequestLog
from locustfiles.run.plan import Plan
from locustfiles.schedule.clock import ScheduleClock
from locustfiles.schedule.open_loop import OpenLoop
from workload.load import LoadSettings
from workload.operations import MODELLED


def at_rate(per_second: int, **load: float) -> Plan:
    """A plan with that many writes a second."""
    settings = LoadSettings(**{"connections": 4, **load})  # type: ignore[arg-type]  # by name
    return replace(PLAN, rates={"submit": str(per_second)}, load=settings)


def replay(
    plan: Plan, script: Script, meanwhile: Callable[[OpenLoop, Peer], None] | None = None
) -> tuple[OperationRecord, Peer, list[dict[str, Any]]]:
    """Replay the writes of a plan against a server."""
    fired: list[dict[str, Any]] = []
    recorder = Recorder(plan, NoRequestLog(), lambda **one: fired.append(one))
    with serving(script) as (dialer, peer):
        loop = OpenLoop(
            plan, MAKERS["submit"](plan, dialer.address, AcknowledgedMiles()), dialer, recorder
        )
        loop.open_connections()
        running = gevent.spawn(loop.run, ScheduleClock.with_second_zero_at(time.time()))
        if meanwhile is not None:
            meanwhile(loop, peer)
        running.get()
    recording = Recording.of(MODELLED)
    recording.add_message(recorder.take_counts()["recording"])
    return recording.operations["submit"], peer, fired


def totals(record: OperationRecord) -> tuple[int, int, int, int, int]:
    """Offered, sent, dropped, ok, failed."""
    seconds = record.seconds.values()
    return (
        sum(one.offered for one in seconds),
        sum(one.sent for one in seconds),
        sum(one.dropped for one in seconds),
        sum(one.ok for one in seconds),
        sum(one.failed for one in seconds),
    )


def after(seconds: float) -> Script:
    """Answer each request after a while."""

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            gevent.sleep(seconds)
            stream.sendall(answer())

    return script


def test_all_that_falls_due_is_sent_and_reported_to_locust() -> None:
    """Each request is counted once by us, and once by Locust for its page."""
    record, peer, fired = replay(at_rate(200), always(answer()))

    assert (200, 200, 0, 200, 0) == totals(record)
    assert 200 == peer.total == len(fired)
    assert {"submit"} == {one["name"] for one in fired}
    assert {None} == {one["exception"] for one in fired}
    assert {"applied": 200} == record.statuses
    assert 200 == sum(record.response_us.values()) == sum(record.service_us.values())


def test_a_slow_service_does_not_slow_the_schedule() -> None:
    """Four connections and 50 ms an answer carry 80 a second; all 200 are offered in time."""
    record, _, _ = replay(at_rate(200), after(0.05))

    assert (200, 200, 0, 200, 0) == totals(record)
    assert 200 == record.seconds[0].offered
    assert max(record.response_us) > 1_000_000
    assert statistics.median(Counter(record.service_us).elements()) < 500_000


def test_a_stalled_service_gets_no_more_than_its_connections() -> None:
    """The rest waits until its deadline and is dropped; nothing is left without an outcome."""
    # who waits gives up before a connection that waited in vain is free again
    plan = at_rate(200, deadline_seconds=1, request_timeout_seconds=2.5)
    record, peer, fired = replay(plan, silent)
    offered, sent, dropped, ok, failed = totals(record)

    assert (200, 200, 0) == (offered, sent + dropped, ok)
    assert sent == failed == peer.total == record.unknown == len(fired)
    assert 4 == sent
    assert {"timeout"} == set(record.failures)
    assert {"timeout"} == {str(one["exception"]) for one in fired}


def test_one_players_writes_are_answered_in_order() -> None:
    """With one player, one connection at a time is busy, and its events arrive in order."""
    busy, most = [0], [0]

    def watch(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
            gevent.sleep(0.002)
            busy[0] -= 1
            stream.sendall(answer())

    record, peer, _ = replay(replace(at_rate(100), players=1), watch)

    assert (100, 100, 0, 100, 0) == totals(record)
    assert 1 == most[0]
    assert 1 < len(peer.requests)


def test_a_stop_drops_who_waits_and_offers_nothing_more() -> None:
    """What is on its way is waited for; the schedule ends where it is."""
    plan = replace(at_rate(200), duration_seconds=60)
    may_answer = Event()

    def held(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            may_answer.wait()
            stream.sendall(answer())

    def stop_under_load(loop: OpenLoop, peer: Peer) -> None:
        until(lambda: peer.total == 4 and loop._outstanding > 4)
        loop.stop()
        may_answer.set()

    record, peer, _ = replay(plan, held, stop_under_load)
    offered, sent, dropped, ok, failed = totals(record)

    assert offered == sent + dropped < 200 * 60
    assert (4, 4, 0) == (sent, ok, failed)
    assert 4 == peer.total
    assert dropped > 0


def test_a_connection_that_closes_each_time_is_reopened_and_counted() -> None:
    """A server without keep-alive costs reconnects, not failures."""
    closing = answer(headers="connection: close\r\n")

    def script(stream: socket, peer: Peer) -> None:
        if peer.read(stream) is not None:
            stream.sendall(closing)

    record, peer, _ = replay(at_rate(50), script)

    assert (50, 50, 0, 50, 0) == totals(record)
    assert 50 == peer.total
    assert 46 == record.reconnects
