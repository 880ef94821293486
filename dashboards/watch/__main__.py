"""Watch whatever runs on this machine: Prometheus, and Grafana if there is one, until Ctrl-C.

The variables of make are read from the environment: SERVICE_PORT, LOADGEN_PORT, PROMETHEUS_PORT,
GRAFANA_PORT, PROMETHEUS_BIN, GRAFANA_BIN. It takes no part in a run and no lock.
Exit codes: 0 stopped as asked, 2 it could not begin, 3 one of the two ended by itself.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from dashboards.program_run import ServerFailed
from dashboards.prometheus.programs import ProgramMissing, program
from dashboards.prometheus.server import running_at
from dashboards.prometheus.targets import CONFIG, GENERATOR, SERVICE, with_targets
from dashboards.watch.debian import web_page_of, web_page_options
from dashboards.watch.grafana import (
    HOW_TO_GET,
    Grafana,
    GrafanaUnusable,
    find_grafana,
    running_grafana,
)
from dashboards.watch.leftovers import end_leftovers, folder_prefix
from dashboards.watch.ports import HOST, Ports, WrongPorts, read_ports, require_free
from dashboards.watch.questions import ADDRESS, questions_page
from dashboards.watch.stop import Stopped, StopRequest

STOPPED, NOT_BEGUN, ENDED = 0, 2, 3
_POLL_SECONDS: Final = 0.3


def main() -> int:
    """Watch until somebody stops it."""
    for program_ended in end_leftovers(Path(tempfile.gettempdir())):
        sys.stdout.write(f"Ended what a killed watch had left: {program_ended}.\n")
    problems: list[str] = []
    grafana = None
    with _noting(problems):
        grafana = find_grafana(os.environ)
    with _noting(problems):
        prometheus = program("prometheus", os.environ)
    with _noting(problems):
        ports = read_ports(os.environ)
        wanted = [("PROMETHEUS_PORT", ports.prometheus), ("GRAFANA_PORT", ports.grafana)]
        require_free(wanted if grafana else wanted[:1])
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return NOT_BEGUN
    try:
        with tempfile.TemporaryDirectory(prefix=folder_prefix()) as directory:
            return _watch(prometheus, grafana, ports, Path(directory))
    except Stopped:
        sys.stdout.write("\nStopped.\n")
        return STOPPED
    except ServerFailed as error:
        sys.stderr.write(f"{error}\n")
        return NOT_BEGUN


@contextmanager
def _noting(problems: list[str]) -> Iterator[None]:
    """Note why it cannot begin, and go on behind the block: all of it is told at once."""
    try:
        yield
    except ProgramMissing as error:
        problems.append(f"{error} Without it, Locust's page and the terminal show a run.")
    except (WrongPorts, GrafanaUnusable) as error:
        problems.append(str(error))


def _watch(prometheus: Path, grafana: Grafana | None, ports: Ports, directory: Path) -> int:
    stop = StopRequest()
    stop.listen()
    targets = {SERVICE: [f"{HOST}:{ports.service}"], GENERATOR: [f"{HOST}:{ports.generator}"]}
    config = with_targets(CONFIG.read_text(encoding="utf-8"), targets)
    url = f"http://{HOST}:{ports.prometheus}"
    with ExitStack() as stack:
        pages_of_ours = directory / "consoles"
        options = [*web_page_options(prometheus), f"--web.console.templates={pages_of_ours}"]
        server = running_at(
            ports.prometheus, prometheus, config, directory, options, check=stop.check
        )
        processes = {"Prometheus": stack.enter_context(server)}
        own_pages = web_page_of(url)
        questions_page(pages_of_ours, own_pages)
        if grafana:
            pages = running_grafana(grafana, ports.grafana, url, directory, check=stop.check)
            processes["Grafana"] = stack.enter_context(pages)
        _tell(ports, url, own_pages, has_grafana=grafana is not None)
        while True:
            stop.check()
            for name, process in processes.items():
                if not process.running():
                    sys.stderr.write(f"{name} ended by itself.\n")
                    return ENDED
            time.sleep(_POLL_SECONDS)


def _tell(ports: Ports, url: str, own_pages: str, *, has_grafana: bool) -> None:
    service, generator = f"{HOST}:{ports.service}", f"{HOST}:{ports.generator}"
    lines = [f"Watching a service at {service} and a load generator at {generator}:"]
    if has_grafana:
        lines.append(f"  grafana     http://{HOST}:{ports.grafana}")
    lines += [
        f"  hot keys    {url}/{ADDRESS} (each question as a ready query)",
        f"  prometheus  {own_pages}/graph",
        f"  alerts      {own_pages}/alerts",
    ]
    if not has_grafana:
        lines.append(f"Grafana was not found: {HOW_TO_GET}.")
    load, serve = (f"`make {what}{ports.of_a_run}`" for what in ("load-naive", "serve"))
    lines.append(f"Now {load}, or {serve}, in another terminal. Stop with Ctrl-C.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
