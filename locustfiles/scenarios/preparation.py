"""The steps before a scenario's load: each must succeed, or the run ends with a sentence."""

from collections.abc import Callable

from gevent.pool import Pool

from locustfiles.errors import BadInput, RunCutShort
from locustfiles.http.attempt import Attempt
from locustfiles.http.connection import Connection
from locustfiles.http.dialer import Dialer
from locustfiles.run.inputs import RunInputs

_CHECK_SECONDS = 0.05


def require_capability(inputs: RunInputs, capability: str, things: str) -> None:
    """Go on only if the service describes a capability.

    Raises:
        BadInput: it does not.
    """
    capabilities = inputs.description.verbatim.get("capabilities") or {}
    if not capabilities.get(capability):
        raise BadInput(
            f"{inputs.plan.target} keeps no {things}: start it with a ledger "
            "(leave out LEDGER=none)."
        )


def require_ok(outcome: Attempt, step: str) -> None:
    """Go on only after a success.

    Raises:
        RunCutShort: with the step and the answer.
    """
    if not outcome.is_ok:
        raise RunCutShort("failed-to-load", f"{step} failed: {outcome.in_words()}.")


def send_for_each(
    step: str,
    players: int,
    send: Callable[[Connection, int], Attempt],
    dialer: Dialer,
    at_once: int,
    check: Callable[[], None],
) -> None:
    """Send for players 0 to `players` - 1, some at a time, each over a connection of its own.

    `check` is called meanwhile, and may raise to stop.

    Raises:
        RunCutShort: a request failed; its connection sent nothing more.
    """
    connections = [Connection(dialer) for _ in range(at_once)]
    refused: list[Attempt] = []

    def send_every_nth(first: int) -> None:
        for player in range(first, players, at_once):
            outcome = send(connections[first], player)
            if not outcome.is_ok:
                refused.append(outcome)
                return

    pool = Pool(at_once)
    for first in range(at_once):
        pool.spawn(send_every_nth, first)
    try:
        while not pool.join(timeout=_CHECK_SECONDS):
            check()
    finally:
        pool.kill()
        for connection in connections:
            connection.close()
    for outcome in refused:
        require_ok(outcome, step)
