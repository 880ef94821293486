"""`make sweep`: has a service recount every member with a tracking code now."""

import time

import msgspec

from lab.asking import NoAnswer, ask_json
from lab.errors import PartFailed, UsageError
from lab.ports import HOST
from lab.variables import Variables

_POLL_SECONDS = 0.2


class _Sweep(msgspec.Struct, frozen=True):
    """What a service says of a sweep."""

    number: int
    ended_at: str | None
    scanned: int
    changed: int
    unchanged: int
    unlocked: int
    seconds: float | None


def sweep(variables: Variables) -> int:
    """Begin a sweep, wait until it has ended, and print what it did.

    The service need not be one that the lab has started; TARGET names another than SERVICE_PORT's.

    Raises:
        UsageError: nobody answers there, or the sweep is refused.
        PartFailed: the service fell silent meanwhile.
    """
    url = variables.target or f"http://{HOST}:{variables.service_port}"
    try:
        told = _ask(f"{url}/v1/sweeps", "POST")
    except NoAnswer as error:
        raise UsageError(
            f"The service at {url} does not sweep: {error}. `make serve` starts one; "
            "SERVICE_PORT or TARGET says where another is."
        ) from None
    print(f"Sweep {told.number} has begun.", flush=True)
    while told.ended_at is None:
        time.sleep(_POLL_SECONDS)
        try:
            told = _ask(f"{url}/v1/sweeps/{told.number}", "GET")
        except NoAnswer as error:
            raise PartFailed(f"What became of sweep {told.number} is unknown: {error}.") from None
    print(
        f"It has ended: scanned {told.scanned:,}, changed {told.changed:,}, unchanged "
        f"{told.unchanged:,}, unlocked {told.unlocked:,}, {told.seconds or 0:.3f} seconds."
    )
    return 0


def _ask(url: str, method: str) -> _Sweep:
    try:
        return msgspec.convert(ask_json(url, method), _Sweep)
    except msgspec.ValidationError:
        raise NoAnswer("it answers with something else than a sweep") from None
