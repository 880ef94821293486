"""Scrape a running stack with a Prometheus of its own, then run every panel's query on that."""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dashboards.datacheck.check import check
from dashboards.datacheck.patience import await_first_scrapes, steady_moment
from dashboards.datacheck.prometheus_api import PrometheusApi, QueryFailed
from dashboards.datacheck.questions import read
from dashboards.datacheck.summary import summary
from dashboards.program_run import ServerFailed
from dashboards.prometheus.programs import ProgramMissing, program
from dashboards.prometheus.server import running
from dashboards.prometheus.targets import CONFIG, GENERATOR, REDIS, SERVICE, with_targets

SOUND, FAULTY, NOT_DONE = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Scrape, check, print the summary: 0 all is sound, 1 it is not, 2 it could not be checked."""
    given = _parser().parse_args(arguments)
    urls = {SERVICE: given.service, GENERATOR: given.generator, REDIS: given.redis_exporter}
    problems = [problem for some in urls.values() for url in some if (problem := _problem(url))]
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return NOT_DONE
    targets = {job: [urlsplit(url).netloc for url in some] for job, some in urls.items() if some}
    try:
        return _run(targets, given.seconds)
    except (ProgramMissing, ServerFailed, QueryFailed) as error:
        sys.stderr.write(f"{error}\n")
        return NOT_DONE


def _run(targets: dict[str, list[str]], seconds: float) -> int:
    config = with_targets(CONFIG.read_text(encoding="utf-8"), targets)
    prometheus = program("prometheus", os.environ)
    with (
        tempfile.TemporaryDirectory(prefix="hotboard-datacheck-") as directory,
        running(prometheus, config, Path(directory)) as url,
    ):
        sys.stdout.write(f"Prometheus at {url} scrapes for {seconds:g} s\n")
        sys.stdout.flush()
        api = PrometheusApi(url)
        if not await_first_scrapes(api, sum(map(len, targets.values()))):
            sys.stdout.write(
                "Prometheus has not scraped every address yet; going on all the same\n"
            )
        time.sleep(seconds)
        report = check(api, read(), targets, steady_moment(api))
    sys.stdout.write(summary(report) + "\n")
    return FAULTY if report.faulty else SOUND


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dashboards.datacheck", description=__doc__)
    add = parser.add_argument
    add("--service", action="append", required=True, help="its /metrics URL (one for each mode)")
    add("--generator", action="append", required=True, help="the Locust master's /metrics URL")
    add("--redis-exporter", action="append", default=[], help="the exporter's /metrics URL, if any")
    add("--seconds", type=float, default=30.0, help="how long to scrape before asking (30)")
    return parser


def _problem(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.netloc and parts.path == "/metrics":
        return None
    return f"{url} is no address to scrape: give http://host:port/metrics."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
