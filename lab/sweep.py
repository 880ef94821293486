"""A sweep of the service: asked for, and followed to its end; `make sweep`."""

import time
from dataclasses import dataclass

import msgspec

from lab.cli.variables import Variables
from lab.errors import PartFailed, UsageError
from lab.http_json import NoAnswer, ask_json
from lab.stack.ports import HOST

_POLL_SECONDS = 0.2
# Whoever works notes it every few seconds; twice the lease under which a sweep runs.
_STILL_SECONDS = 20.0


class Sweep(msgspec.Struct, frozen=True):
    """What a service says of a sweep."""

    number: int
    ended_at: str | None
    scanned: int
    changed: int
    unchanged: int
    unlocked: int
    seconds: float | None
    failed: int = 0


@dataclass(frozen=True)
class Sweeps:
    """The sweeps of the service at an address."""

    url: str
    still_seconds: float = _STILL_SECONDS

    def begin(self) -> Sweep:
        """Begin one; raises NoAnswer."""
        return self._ask("", "POST")

    def follow(self, told: Sweep) -> Sweep:
        """Wait until it has ended.

        Raises:
            NoAnswer: the service does not answer, or the sweep gets no further: it has died.
        """
        moved_at = time.monotonic()
        while told.ended_at is None:
            if time.monotonic() - moved_at > self.still_seconds:
                raise NoAnswer(
                    f"it got no further than {told.scanned:,} members for "
                    f"{self.still_seconds:g} s; the service's log says why"
                )
            time.sleep(_POLL_SECONDS)
            before, told = told, self._ask(f"/{told.number}", "GET")
            moved_at = moved_at if told == before else time.monotonic()
        return told

    def _ask(self, path: str, method: str) -> Sweep:
        try:
            return msgspec.convert(ask_json(f"{self.url}/v1/sweeps{path}", method), Sweep)
        except msgspec.ValidationError:
            raise NoAnswer("it answers with something else than a sweep") from None


def sweep(variables: Variables) -> int:
    """Begin a sweep, wait until it has ended, and print what it did; 1 if a recount failed.

    The service need not be one that the lab has started; TARGET names another than SERVICE_PORT's.

    Raises:
        UsageError: nobody answers there, or the sweep is refused.
        PartFailed: the service fell silent meanwhile, or the sweep stands still.
    """
    url = variables.target or f"http://{HOST}:{variables.service_port}"
    sweeps = Sweeps(url)
    try:
        told = sweeps.begin()
    except NoAnswer as error:
        raise UsageError(
            f"The service at {url} does not sweep: {error}. `make serve` starts one; "
            "SERVICE_PORT or TARGET says where another is."
        ) from None
    print(f"Sweep {told.number} has begun.", flush=True)
    try:
        told = sweeps.follow(told)
    except NoAnswer as error:
        raise PartFailed(f"What became of sweep {told.number} is unknown: {error}.") from None
    print(
        f"It has ended: scanned {told.scanned:,}, changed {told.changed:,}, unchanged "
        f"{told.unchanged:,}, unlocked {told.unlocked:,}, {told.seconds or 0:.3f} seconds."
    )
    if told.failed:
        print(f"The recount failed for {told.failed:,} members; the service's log names them.")
    return 1 if told.failed else 0
