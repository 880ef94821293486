"""The load generator of a run: its processes, its target, and its metrics for containers."""

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Thread

from lab.cli.variables import Variables
from lab.errors import DockerUnavailable, LabError
from lab.http_json import NoAnswer, fetch
from lab.run_order import RunOrder
from lab.stack.docker import Container, Docker
from lab.stack.ports import HOST, free_port, require_free
from lab.stack.process import MissingWorker, Part
from lab.stack.stack import Session, Stack

# A scrape has a second; whoever asks has given up by then.
_SECONDS = 1.0
_PAGE = "/metrics"


class _Relay(ThreadingTCPServer):
    """A server that gets its one page from elsewhere."""

    daemon_threads = True
    source_url: str


class _Page(BaseHTTPRequestHandler):
    """One scrape."""

    server: _Relay

    def do_GET(self) -> None:
        """Answer with what the source answers."""
        if self.path != _PAGE:
            self.send_error(404)
            return
        try:
            answer = fetch(self.server.source_url, seconds=_SECONDS)
        except NoAnswer:
            # before the run and after it nobody is there
            self.send_error(502)
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Say nothing: a scrape each second is no news."""


@contextmanager
def metrics_relay(host: str, source_url: str) -> Iterator[str | None]:
    """Serve the source's metrics at an address of this machine, and give that with its port.

    Gives None, and serves nothing, when `host` is no address of this machine.
    """
    server = _bound(host)
    if server is None:
        yield None
        return
    server.source_url = source_url
    thread = Thread(target=server.serve_forever, args=(0.1,))
    thread.start()
    try:
        yield f"{host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _bound(host: str) -> _Relay | None:
    # no host would mean every address of this machine
    if not host:
        return None
    try:
        return _Relay((host, 0), _Page)
    except OSError:
        return None


# One of the generator's places in the scrape configuration.
_FILE = "/prometheus/generator.json"
# Where Docker runs in a machine of its own, this name leads to the loopback of ours.
_OUTSIDE = "host.docker.internal"
_READABLE = 0o644


@contextmanager
def generator_target(prometheus: Container, docker: Docker, port: int) -> Iterator[None]:
    """Let Prometheus scrape what will listen on a port of this machine's loopback.

    A Prometheus that cannot be told never disturbs a run: it is said, and the run goes on.
    """
    with metrics_relay(prometheus.gateway, f"http://{HOST}:{port}/metrics") as relayed:
        address = relayed or f"{_OUTSIDE}:{port}"
        try:
            _tell(prometheus, docker, [address])
        except DockerUnavailable as error:
            print(f"Prometheus will not see the generator of this run: {error}")
            yield
            return
        try:
            yield
        finally:
            _forget(prometheus, docker)


def _forget(prometheus: Container, docker: Docker) -> None:
    try:
        _tell(prometheus, docker, [])
    except DockerUnavailable as error:
        print(f"Prometheus still looks for the generator of this run: {error}")


def _tell(prometheus: Container, docker: Docker, addresses: Sequence[str]) -> None:
    groups = [{"targets": list(addresses)}] if addresses else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "generator.json"
        file.write_text(json.dumps(groups), encoding="utf-8")
        file.chmod(_READABLE)
        docker.ask("cp", str(file), f"{prometheus.identity}:{_FILE}")


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
