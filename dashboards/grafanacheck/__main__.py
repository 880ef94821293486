"""Ask a Grafana that runs whether it shows what it should: `make grafana-check`.

GRAFANA_URL, GRAFANA_PORT and GRAFANA_TOKEN are read from the environment.
Exit codes: 0 all is there and answers, 1 something is not or does not, 2 there is no Grafana.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from dashboards.grafanacheck.api import Address, GrafanaApi, GrafanaRefused
from dashboards.grafanacheck.check import SOURCE_UID, Found, check_dashboards

SOUND, FAULTY, NOT_DONE = 0, 1, 2


def main(environment: Mapping[str, str]) -> int:
    """Ask everything, and say what came of it."""
    try:
        address = Address.read(environment)
    except GrafanaRefused as error:
        sys.stderr.write(f"There is no Grafana to check: {error}\n")
        return NOT_DONE
    api = GrafanaApi(address)
    try:
        version = api.version()
    except GrafanaRefused as error:
        sys.stderr.write(address.shown(f"There is no Grafana to check: {error}\n"))
        return NOT_DONE
    sys.stdout.write(address.shown(f"Grafana {version} at {address.url}: healthy\n"))
    is_sound, told = _source(api)
    sys.stdout.write(address.shown(told))
    found = check_dashboards(api)
    sys.stdout.write(address.shown("".join(f"{line}\n" for line in _lines(found))))
    return SOUND if is_sound and not any(one.problems for one in found) else FAULTY


def _source(api: GrafanaApi) -> tuple[bool, str]:
    """Whether the data source is sound, and what is to be said of it."""
    try:
        return True, f"data source {SOURCE_UID}: {api.source_says(SOURCE_UID)}\n"
    except GrafanaRefused as error:
        return False, f"WRONG data source {SOURCE_UID}: {error}\n"


def _lines(found: Sequence[Found]) -> Iterator[str]:
    for one in found:
        empty = len(one.without_data)
        yield f"{one.title} ({one.uid}): {one.answered} queries answered, {empty} of them empty"
        yield from (f"  WRONG {problem}" for problem in one.problems)
        if one.without_data:
            yield f"  empty: {', '.join(dict.fromkeys(one.without_data))}"
    answered = sum(one.answered for one in found)
    empty = sum(len(one.without_data) for one in found)
    wrong = sum(len(one.problems) for one in found)
    yield (
        f"grafana check: {len(found)} dashboards, {answered} queries answered, "
        f"{empty or 'none'} empty, {wrong or 'none'} wrong"
    )
    if empty:
        yield "A query is empty until a run in each mode was seen within the time in view."


if __name__ == "__main__":
    sys.exit(main(os.environ))
