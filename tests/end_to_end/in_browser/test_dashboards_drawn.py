"""Every dashboard, drawn with Grafana's own components beside a real run in each mode."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import pytest
from browser import Browser, chromium_window
from make_command import Checkout

from dashboards.draw.drawing import KEPT, View, dashboards, draw, serving_pages
from dashboards.prometheus.programs import program
from dashboards.prometheus.server import running
from dashboards.prometheus.targets import CONFIG, GENERATOR, SERVICE, with_targets

MODES = ("naive", "partitioned")
BOTH = "naive-against-partitioned"
RUN = ("DURATION=12s", "WARMUP=1s", "PLAYERS=600", "LEDGER=sqlite")
PICTURES = KEPT.parent / "pictures"


@dataclass(frozen=True)
class Drawn:
    """The window and where its pages are, and what was to be seen of each run."""

    window: Browser
    pages: str
    views: dict[str, View]


def measured(checkout: Checkout, mode: str) -> tuple[float, float]:
    """When the measured phase of the newest run began and ended."""
    (found,) = (checkout.root / "reports" / "runs").glob(f"*{mode}*")
    facts = json.loads((found / "run.json").read_text())
    began, ended = (
        datetime.fromisoformat(facts[name]) for name in ("measured_from", "measured_to")
    )
    return began.timestamp(), ended.timestamp()


@pytest.fixture(scope="module")
def drawn(new_checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drawn]:
    """A short run in each mode with one Prometheus beside both, and a window to draw them in."""
    folder = tmp_path_factory.mktemp("drawn")
    PICTURES.mkdir(parents=True, exist_ok=True)
    ports = {SERVICE: "SERVICE_PORT", GENERATOR: "LOADGEN_PORT"}
    addresses = {
        job: [f"127.0.0.1:{new_checkout.environment[name]}"] for job, name in ports.items()
    }
    config = with_targets(CONFIG.read_text(encoding="utf-8"), addresses)
    with running(program("prometheus", os.environ), config, folder) as url:
        views = {}
        for mode in MODES:
            code, output = new_checkout.make(f"load-{mode}", *RUN)
            assert code in {0, 2}, output
            began, ended = measured(new_checkout, mode)
            views[mode] = View(url, began - 2, ended)
        views[BOTH] = View(url, views["naive"].start, ended)
        with chromium_window(folder) as window, serving_pages() as pages:
            yield Drawn(window, pages, views)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [name for name in dashboards() if name != BOTH])
def test_a_dashboard_shows_what_a_run_measured(drawn: Drawn, name: str, mode: str) -> None:
    """No text is cut or huge, no panel is empty that has data, and none is full that has none."""
    picture = PICTURES / f"{name}-{mode}.png"
    faults = draw(drawn.window, drawn.pages, dashboards()[name], drawn.views[mode], picture)

    assert not faults, "\n".join(faults)


def test_the_modes_side_by_side_are_drawn_whole(drawn: Drawn) -> None:
    """The comparison is drawn of both runs."""
    picture = PICTURES / f"{BOTH}.png"
    faults = draw(drawn.window, drawn.pages, dashboards()[BOTH], drawn.views[BOTH], picture)

    assert not faults, "\n".join(faults)
