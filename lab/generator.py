"""The load generator's processes: Locust alone, or a Locust master and its workers."""

import json
import sys
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from lab.errors import LabError
from lab.missing_worker import MissingWorker
from lab.parts import Part
from lab.ports import HOST, free_port, require_free
from lab.run_order import RunOrder
from lab.session import Session
from lab.stack import Stack
from lab.variables import Variables

_POLL_SECONDS = 0.1
# A stopped generator first waits for the answers it is owed: the deadline and the timeout of
# a request, and a little for the files.
_DRAIN_SECONDS = 30.0
# Loading is bounded by the slowest machine worth measuring on.
_LOADED_PLAYERS_PER_SECOND = 1_000
_SLACK_SECONDS = 120.0


def require_generator_ports(variables: Variables) -> None:
    """Refuse ports that are taken before anything is started.

    Raises:
        UsageError: with the variable that changes the port.
    """
    if variables.locust_ui:
        require_free(variables.locust_port, "LOCUST_PORT")
    if variables.loadgen_port:
        require_free(variables.loadgen_port, "LOADGEN_PORT")


def generate(
    order: RunOrder, stack: Stack, folder: Path, session: Session
) -> tuple[int, list[str]]:
    """Run the generator to its end.

    Returns the exit code of Locust (0 complete, 2 bad input, 3 incomplete) and what went wrong
    around it, in sentences.
    """
    variables = order.variables
    main, *workers = _parts(order, stack, folder, session)
    if variables.locust_ui:
        page = f"http://{HOST}:{variables.locust_port}/?tab=hot-keys"
        print(f"Locust's page shows the hot keys: {page}", flush=True)
    with ExitStack() as running:
        for part in (main, *workers):
            running.callback(part.end)
            part.begin()
        missing = MissingWorker(workers, folder / "run.json")
        code, incidents = _watch(main, missing, order, stack, session)
        if code < 0:
            when = _when(folder, order.variables.duration)
            incidents.append(f"The generator was killed by signal {-code}, {when}.")
        return code, incidents


def _when(folder: Path, duration_seconds: int) -> str:
    """How far a run has come by now, as its record says when the measured phase begins."""
    try:
        stamp = json.loads((folder / "run.json").read_bytes())["measured_from"]
    except FileNotFoundError:
        stamp = None
    if stamp is None:
        return "before its load began"
    second = time.time() - datetime.fromisoformat(stamp).timestamp()
    if second < 0:
        return f"{-second:.1f} s before the measured phase"
    return (
        f"{second:.1f} s into the measured phase"
        if second < duration_seconds
        else "after the measured phase"
    )


def _parts(order: RunOrder, stack: Stack, folder: Path, session: Session) -> list[Part]:
    """The process that leads, then its workers; one that is alone sends the load itself."""
    options, count = _options(order, stack, folder), order.variables.workers
    if count == 1:
        return [_locust("The generator", options, None, session)]
    port = str(free_port())
    lead = ["--master", "--master-bind-host", HOST, "--master-bind-port", port]
    lead += ["--expect-workers", str(count)]
    follow = ["--worker", "--loglevel", "WARNING", "--master-host", HOST, "--master-port", port]
    logs = folder / "logs"
    return [
        _locust("The generator", [*options, *lead], None, session),
        *(
            _locust(f"Generator worker {number}", follow, logs / f"worker-{number}.log", session)
            for number in range(count)
        ),
    ]


def _options(order: RunOrder, stack: Stack, folder: Path) -> list[str]:
    variables = order.variables
    # Locust's own notes are of no use here; its warnings are.
    options = ["--loglevel", "WARNING", "--host", stack.service_url, "--run-dir", str(folder)]
    options += _page(variables) if variables.locust_ui else ["--headless"]
    options += ["--metrics-port", str(variables.loadgen_port)]
    options += ["--scenario", variables.scenario, "--scale", repr(variables.scale)]
    options += ["--duration", f"{variables.duration}s", "--warmup", f"{variables.warmup}s"]
    options += ["--seed", str(variables.seed), "--command", order.command]
    if variables.players is not None:
        options += ["--players", str(variables.players)]
    for override in variables.set:
        options += ["--set", override]
    if order.stack:
        options += ["--stack", order.stack]
    if order.drill:
        options.append("--request-log")
    return options


def _page(variables: Variables) -> list[str]:
    """Locust's own page beside a run that begins and ends by itself all the same."""
    return ["--autostart", "--web-host", HOST, "--web-port", str(variables.locust_port)]


def _locust(name: str, options: list[str], log: Path | None, session: Session) -> Part:
    command = [sys.executable, "-m", "locustfiles", *options]
    return Part(name, command, session, log=log)


def _watch(
    main: Part, missing: MissingWorker, order: RunOrder, stack: Stack, session: Session
) -> tuple[int, list[str]]:
    """Wait for the generator's end; ask it to drain when a part dies or somebody wants a stop."""
    incidents: list[str] = []
    limit = _SLACK_SECONDS + order.players / _LOADED_PLAYERS_PER_SECOND
    limit += order.variables.warmup + order.variables.duration + _DRAIN_SECONDS
    end = time.monotonic() + limit
    process = main.process
    if process is None:
        raise LabError("The generator did not start.")
    asked = False
    while (code := process.poll()) is None:
        if not asked and (incident := _incident(stack, missing, session, end)):
            incidents.append(incident)
            process.terminate()
            asked = True
            end = time.monotonic() + _DRAIN_SECONDS
        elif asked and (time.monotonic() > end or session.stop.times > 1):
            incidents.append("The generator was ended before it had drained.")
            process.kill()
        time.sleep(_POLL_SECONDS)
    return code, incidents


def _incident(stack: Stack, missing: MissingWorker, session: Session, end: float) -> str | None:
    if session.stop.reason:
        # The generator knows of no other reason than the signal that it is about to get.
        return f"The run was {session.stop.reason}; its generator was then sent SIGTERM."
    if time.monotonic() > end:
        return "The run took longer than it can take, and was stopped."
    return stack.failure() or missing.failure()
