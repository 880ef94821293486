"""A worker's ends: however it is stopped, its last numbers reach the master first."""

from locust.env import Environment

from locustfiles import stopping
from locustfiles.errors import COMPLETE, INCOMPLETE
from locustfiles.generator import Generator
from locustfiles.hooks import listen


def follow(environment: Environment, generator: Generator) -> None:
    """Follow the master, and drain before this process ends."""

    def drain(**_: object) -> None:
        generator.stop("Locust stopped it")
        generator.wait_until_reported()
        environment.process_exit_code = COMPLETE if generator.was_complete else INCOMPLETE

    stopping.install(generator.stop, lambda: None)
    listen(environment.events.quitting, drain)
    listen(environment.events.test_stopping, drain)
