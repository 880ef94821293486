"""The stack kept up without load, until somebody stops it."""

import tempfile
import time
from pathlib import Path

from lab.addresses import without_password
from lab.cli.variables import Variables
from lab.stack.embedded import embedded_stack
from lab.stack.service_settings import describe_ledger
from lab.stack.stack import Session
from workload.assumptions import Assumptions

_POLL_SECONDS = 0.2


def serve_problems(variables: Variables) -> list[str]:
    """A sentence when the compose stack was asked for."""
    if variables.stack != "compose":
        return []
    problem = (
        "`make serve` keeps an embedded stack up, leave out STACK=compose; "
        "`make up` starts the compose stack."
    )
    return [problem]


def serve(variables: Variables, assumptions: Assumptions, session: Session) -> int:
    """Keep Redis and the service up until Ctrl-C; returns 3 when a part died."""
    with (
        tempfile.TemporaryDirectory(prefix="serve-", dir=session.checkout.state) as folder,
        embedded_stack(
            variables,
            assumptions,
            Path(folder),
            variables.ledger_path or Path(folder) / "ledger.db",
            session,
        ) as stack,
    ):
        print(
            f"mode     {variables.mode}, {describe_ledger(variables)}\n"
            f"service  {stack.service_url}/v1/boards\n"
            f"docs     {stack.service_url}/docs\n"
            f"metrics  {stack.service_url}/metrics\n"
            f"redis    {without_password(stack.redis_url)}\n"
            "Stop with Ctrl-C.",
            flush=True,
        )
        while session.stop.reason is None:
            if failure := stack.failure():
                print(failure, flush=True)
                return 3
            time.sleep(_POLL_SECONDS)
    print("Stopped.")
    return 0
