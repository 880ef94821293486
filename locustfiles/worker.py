"""A worker's ends: however it is stopped, its last numbers reach the master first."""

import time
from typing import Final

import gevent
from locust.env import Environment
from locust.runners import WorkerRunner

from locustfiles.errors import COMPLETE, INCOMPLETE
from locustfiles.generator import Generator
from locustfiles.hooks import listen
from locustfiles.stopping import StopRequest

# A master that is silent for this long is gone: nobody wants the load any more.
# Locust would go on for a minute.
_MASTER_SILENCE_SECONDS: Final = 10.0


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
