"""The scrape configuration with other addresses, for a stack that is not compose's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

Targets = Mapping[str, Sequence[str]]

FOLDER: Final = Path(__file__).resolve().parent
CONFIG: Final = FOLDER / "prometheus.yml"
SERVICE: Final = "service"
GENERATOR: Final = "generator"
REDIS: Final = "redis"

_JOB: Final = re.compile(r"(?m)^(?=  - job_name: )")
_NAME: Final = re.compile(r"  - job_name: (\S+)")
_DISCOVERY: Final = re.compile(r"(?m)^    \w+_configs:")


class UnknownJob(ValueError):
    """Addresses were given for a job that the scrape configuration does not have."""


def with_targets(config: str, targets: Targets, folder: Path = FOLDER) -> str:
    """Rewrite a scrape configuration: these addresses, no other job, rules read from a folder.

    It is done on the text, so that a run needs no YAML library; the end of a job's block, from its
    first `..._configs:` line on, is where its addresses are.
    """
    head, *jobs = _JOB.split(config)
    blocks = {_name(job): job for job in jobs}
    unknown = [name for name in targets if name not in blocks]
    if unknown:
        known = ", ".join(blocks)
        raise UnknownJob(f"No scrape job is called {', '.join(unknown)}; there are {known}.")
    head = head.replace("- rules/", f"- {folder}/rules/")
    return head + "".join(_rewritten(blocks, targets))


def _rewritten(blocks: Mapping[str, str], targets: Targets) -> Iterator[str]:
    for name, block in blocks.items():
        if targets.get(name):
            addresses = ", ".join(f'"{address}"' for address in targets[name])
            yield (
                f"{_DISCOVERY.split(block, maxsplit=1)[0]}"
                f"    static_configs:\n      - targets: [{addresses}]\n\n"
            )


def _name(job: str) -> str:
    found = _NAME.match(job)
    if found is None:
        raise UnknownJob(f"This block of the scrape configuration names no job: {job!r}.")
    return found[1]
