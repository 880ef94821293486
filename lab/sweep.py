"""`make sweep`: has a service recount every member with a tracking code now."""

from lab.asking import NoAnswer
from lab.errors import PartFailed, UsageError
from lab.ports import HOST
from lab.sweeps import Sweeps
from lab.variables import Variables


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
