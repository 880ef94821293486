"""The sending side of a run: one generator per process, which reports to the master."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Final, TypeVar, cast

import gevent
from gevent.event import AsyncResult, Event
from locust.env import Environment
from locust.runners import Runner, WorkerRunner

from locustfiles.errors import COMPLETE, INCOMPLETE
from locustfiles.http.dialer import Dialer, read_address
from locustfiles.operations import make_operations
from locustfiles.recording.host_facts import CpuMeter, CpuShare
from locustfiles.recording.recorder import Recorder
from locustfiles.recording.request_log import RequestLog, open_request_log
from locustfiles.run.locust_events import listen
from locustfiles.run.plan import Plan
from locustfiles.run.stopping import StopRequest
from locustfiles.run.workers import DELTA, FINAL, GO, PLAN, PRESENT, READY, STOP, Message
from locustfiles.schedule.clock import ScheduleClock
from locustfiles.schedule.open_loop import OpenLoop

T = TypeVar("T")

# A master that is silent for this long is gone. Locust would go on for a minute.
_MASTER_SILENCE_SECONDS: Final = 10.0


class Generator:
    """Waits for the plan, replays its slice of every operation, and reports what it counted."""

    def __init__(self, runner: Runner, fire_request: Callable[..., object]) -> None:
        self._runner = runner
        self._fire_request = fire_request
        self._users: Counter[str] = Counter()
        self._loops: AsyncResult[dict[str, OpenLoop]] = AsyncResult()
        self._clock: AsyncResult[ScheduleClock] = AsyncResult()
        self._opened = 0
        self._ended = 0
        self._all_ended = Event()
        self._reported = Event()
        self._stopped_by: str | None = None

    def listen(self) -> None:
        """Receive the master's messages from now on."""
        self._runner.register_message(PLAN, self._on_plan)
        self._runner.register_message(GO, self._on_go)
        self._runner.register_message(STOP, self._on_stop)

    def play(self, user_class: str, operation: str) -> None:
        """Replay one operation; its user instance calls this, and is done when it returns."""
        if self._clock.ready():
            return  # Locust started its test again: a schedule is replayed once
        self._users[user_class] += 1
        self._runner.send_message(PRESENT, {"users": dict(self._users)})
        loops = _value_of(self._loops)
        loop = loops[operation]
        loop.open_connections()
        self._opened += 1
        if self._opened == len(loops):
            self._runner.send_message(READY, {})
        try:
            loop.run(_value_of(self._clock))
        except Exception as error:
            self.stop(f"the load generator failed: {error!r}")
            raise
        finally:
            self._ended += 1
            if self._ended == len(loops):
                self._all_ended.set()

    def stop(self, reason: str) -> None:
        """End early: nothing more is offered, and answers are waited for only a while."""
        if self._reported.is_set():
            return
        self._stopped_by = self._stopped_by or reason
        self._stop_loops()

    def wait_until_reported(self) -> None:
        """Wait until the final counts are sent; without a start there are none."""
        if self._clock.ready():
            self._reported.wait()

    @property
    def was_complete(self) -> bool:
        """Whether the slice was replayed to its end, or never begun."""
        return self._stopped_by is None or not self._clock.ready()

    def _on_plan(self, msg: Message, **_: object) -> None:
        gevent.spawn(self._prepare, Plan.from_message(msg.data))

    def _prepare(self, plan: Plan) -> None:
        address = read_address(plan.target)
        dialer = Dialer(address)
        log = open_request_log(plan.request_log, plan.slice_index, self.stop)
        recorder = Recorder(plan, log, self._fire_request)
        loops = {
            name: OpenLoop(plan, operation, dialer, recorder)
            for name, operation in make_operations(plan, address).items()
        }
        gevent.spawn(self._report, plan, recorder, log)
        self._loops.set(loops)
        if self._stopped_by is not None:
            self._stop_loops()

    def _on_go(self, msg: Message, **_: object) -> None:
        self._clock.set(ScheduleClock.with_second_zero_at(msg.data["second_zero_at"]))

    def _on_stop(self, msg: Message, **_: object) -> None:
        del msg
        self._stop_loops()

    def _stop_loops(self) -> None:
        if self._loops.ready():
            for loop in _value_of(self._loops).values():
                loop.stop()

    def _in_flight(self) -> int:
        return sum(loop.in_flight for loop in _value_of(self._loops).values())

    def _report(self, plan: Plan, recorder: Recorder, log: RequestLog) -> None:
        """Send what was counted, every whole second and once more after the drain."""
        clock = _value_of(self._clock)
        cpu, meter = CpuShare(plan.duration_seconds), CpuMeter()
        while not self._all_ended.wait(timeout=-clock.now_seconds() % 1 or 1):
            cpu.update(clock.now_seconds())
            now = {"in_flight": self._in_flight(), "cpu_ratio": meter.read_ratio()}
            self._runner.send_message(DELTA, recorder.take_counts() | {"now": now})
        cpu.update(clock.now_seconds())
        log.close()
        end = {"cpu_ratio": cpu.ratio, "stopped_by": self._stopped_by}
        self._runner.send_message(FINAL, recorder.take_counts() | end)
        self._reported.set()


def follow(
    environment: Environment, runner: WorkerRunner, generator: Generator, stop: StopRequest
) -> None:
    """Follow the master, and drain before this process ends."""

    def drain(**_: object) -> None:
        generator.stop(stop.reason or "Locust ended it")
        generator.wait_until_reported()
        environment.process_exit_code = COMPLETE if generator.was_complete else INCOMPLETE

    stop.leave_to_locust()
    listen(environment.events.quitting, drain)
    listen(environment.events.test_stopping, drain)
    gevent.spawn(_end_with_master, runner, stop)


def _end_with_master(runner: WorkerRunner, stop: StopRequest) -> None:
    while True:
        gevent.sleep(1)
        heard = runner.last_heartbeat_timestamp
        if heard is not None and time.time() - heard > _MASTER_SILENCE_SECONDS:
            stop.ask("the master is gone")
            runner.quit()
            return


def _value_of(result: "AsyncResult[T]") -> T:
    """Wait for the value; it is never None, which gevent's types do not say."""
    return cast("T", result.get())
