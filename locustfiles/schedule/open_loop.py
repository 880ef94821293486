"""One operation's slice of the schedule, replayed open loop: a slow service slows nothing.

A scheduler greenlet queues each arrival when it is due; connection greenlets take it from there.
An arrival that cannot be sent in time is dropped and counted, so a stall cannot hide.
"""

from collections.abc import Iterator
from typing import Final

import gevent
from gevent.pool import Group

from locustfiles.http.attempt import attempt
from locustfiles.http.connection import Connection, ExchangeFailed
from locustfiles.http.dialer import Dialer
from locustfiles.operations.contract import Operation
from locustfiles.recording.recorder import Recorder
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival, arrivals_of_second
from locustfiles.schedule.clock import MICROSECONDS, ScheduleClock
from locustfiles.schedule.precise_sleep import make_precise_sleep
from locustfiles.schedule.reordering import Reordering
from locustfiles.schedule.request_queue import PerPlayerOrder, RequestQueue
from workload.operations import OPERATIONS

# How long a stopped run waits for outstanding answers.
STOP_SECONDS: Final = 10.0
_OPEN_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.01


class OpenLoop:
    """Replays one operation's slice from the warm-up to the end of the drain."""

    def __init__(
        self, plan: Plan, operation: Operation, dialer: Dialer, recorder: Recorder
    ) -> None:
        self._plan = plan
        self._operation = operation
        self._schedule = plan.schedule(operation.name)
        self._recorder = recorder
        self._clock = ScheduleClock(0)
        self._deadline_us = int(plan.load.deadline_seconds * MICROSECONDS)
        self._queue = RequestQueue(
            plan.queue_length(operation.name),
            self._has_expired,
            self._drop,
            PerPlayerOrder() if OPERATIONS[operation.name].in_order else None,
        )
        self._connections = [Connection(dialer) for _ in range(plan.connections())]
        self._scheduler: gevent.Greenlet[[], None] | None = None
        self._outstanding = 0
        self.in_flight = 0
        self._patience_seconds = plan.load.deadline_seconds + plan.load.request_timeout_seconds
        self._is_stopped = False
        self._is_over = False
        self._failure: BaseException | None = None

    def open_connections(self) -> None:
        """Open all connections; one that fails is tried again when a request needs it."""
        opening = Group()
        for connection in self._connections:
            opening.spawn(self._open, connection)
        opening.join(timeout=_OPEN_SECONDS)
        opening.kill()

    def run(self, clock: ScheduleClock) -> None:
        """Replay the schedule, then wait until every request has its outcome."""
        self._clock = clock
        serving = Group()
        for connection in self._connections:
            serving.spawn(self._serve, connection).link_exception(self._fail)
        self._scheduler = gevent.spawn(self._replay)
        try:
            if self._is_stopped:
                self._scheduler.kill()
            self._scheduler.get()
            self._drain()
            if self._failure is not None:
                raise self._failure
        finally:
            self._is_over = True
            self._scheduler.kill()
            self._queue.close()
            serving.kill()
            for connection in self._connections:
                connection.close()

    def stop(self) -> None:
        """Offer nothing more, drop queued arrivals, and wait only a while for answers."""
        self._is_stopped = True
        self._patience_seconds = min(STOP_SECONDS, self._plan.load.request_timeout_seconds)
        if self._scheduler is not None:
            self._scheduler.kill(block=False)
        self._queue.close()

    def _replay(self) -> None:
        sleeper, clock = make_precise_sleep(), self._clock
        recorder, name = self._recorder, self._operation.name
        try:
            for arrival in self._arrivals():
                while (early_us := arrival.intended_us - clock.now_us()) > 0:
                    sleeper.sleep(early_us / MICROSECONDS)
                recorder.count_offered(name, arrival, -early_us)
                self._outstanding += 1
                self._queue.put(arrival)
        finally:
            sleeper.close()

    def _arrivals(self) -> Iterator[Arrival]:
        plan, name, schedule = self._plan, self._operation.name, self._schedule
        is_reordered = name == "submit" and plan.load.has_reordering
        reordering = Reordering(plan.load) if is_reordered else None
        for second in range(-plan.warmup_seconds, plan.duration_seconds):
            if not plan.is_sent_in(name, second):
                continue
            if reordering is None:
                yield from arrivals_of_second(schedule, second, plan.slices, plan.slice_index)
                continue
            # Only the changed arrival says which player, and so which slice, it belongs to.
            for arrival in reordering.apply(arrivals_of_second(schedule, second, 1, 0)):
                if arrival.player % plan.slices == plan.slice_index:
                    yield arrival

    def _serve(self, connection: Connection) -> None:
        operation, recorder, queue = self._operation, self._recorder, self._queue
        timeout_seconds = self._plan.load.request_timeout_seconds
        opened = connection.opened
        while not self._is_over:
            arrival = queue.get()
            request = operation.request(arrival)
            self.in_flight += 1
            outcome = attempt(connection, request, timeout_seconds, self._clock)
            self.in_flight -= 1
            recorder.count_outcome(operation, arrival, outcome)
            if connection.opened != opened:
                recorder.count_reconnects(operation.name, connection.opened - max(opened, 1))
                opened = connection.opened
            self._outstanding -= 1
            queue.finish(arrival)

    def _fail(self, connection: "gevent.Greenlet[..., None]") -> None:
        """End the loop when serving a connection fails, which is a bug of ours."""
        self._failure = connection.exception
        self.stop()

    def _drain(self) -> None:
        """Wait for outstanding requests; the limits of each request bound the time."""
        begun = self._clock.now_seconds()
        while self._outstanding:
            if self._clock.now_seconds() - begun > self._patience_seconds + 1:
                return
            gevent.sleep(_POLL_SECONDS)

    def _open(self, connection: Connection) -> None:
        try:
            connection.ensure_open()
        except ExchangeFailed:
            return

    def _has_expired(self, arrival: Arrival) -> bool:
        return self._clock.now_us() - arrival.intended_us > self._deadline_us

    def _drop(self, arrival: Arrival) -> None:
        self._outstanding -= 1
        self._recorder.count_dropped(self._operation.name, arrival)
