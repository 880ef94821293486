"""What `make watch` links, as a person sees it in a real Chromium: Prometheus without Grafana."""

import os
import sys
import time
from pathlib import Path
from subprocess import PIPE, Popen

from browser import PATIENCE_SECONDS, Browser, chromium_window
from free_ports import free_port

from dashboards.prometheus.programs import CHECKOUT

BOX = (
    "const box = document.querySelector('textarea, .cm-content');"
    "return box && (box.value ?? box.innerText)"
)
FONT = "return getComputedStyle(document.body).fontFamily"


def wait_for_box(window: Browser) -> None:
    """Wait until there is something to type a query into."""
    end = time.monotonic() + PATIENCE_SECONDS
    while window.run(BOX) is None:
        assert time.monotonic() < end, "no query box"
        time.sleep(0.2)


def test_every_link_of_watch_leads_to_a_page_that_works(tmp_path: Path) -> None:
    """The graph has its styles and query box, the alerts are there, and a question is asked."""
    variables = {"PROMETHEUS_PORT": str(free_port()), "SERVICE_PORT": "1", "LOADGEN_PORT": "2"}
    command = [sys.executable, "-m", "dashboards.watch"]
    environment = {**os.environ, **variables, "TMPDIR": str(tmp_path)}
    environment.pop("MAKELEVEL", None)
    with Popen(command, cwd=CHECKOUT, env=environment, stdout=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            links: dict[str, str] = {}
            for line in process.stdout:
                name, _, rest = line.strip().partition("  ")
                links[name] = rest.strip().partition(" ")[0]
                if line.startswith("Now "):
                    break
            with chromium_window(tmp_path) as window:
                window.open(links["alerts"])
                window.wait_for("HotKey")
                window.open(links["prometheus"])
                wait_for_box(window)
                font = window.run(FONT)
                window.open(links["hot keys"])
                questions = window.run("return document.querySelectorAll('li a').length")
                window.click("Hits per key")
                wait_for_box(window)
                asked = window.run(BOX)
                window.screenshot(tmp_path / "prometheus.png")
        finally:
            process.terminate()

    assert "Times" not in font
    assert questions > 10
    assert "rate(leaderboard_key_ops_total" in asked
    assert "$" not in asked
