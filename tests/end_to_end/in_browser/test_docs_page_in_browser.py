"""The service's page of its API as a person sees it, in a real Chromium."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from browser import PATIENCE_SECONDS, chromium_window
from free_ports import free_port

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def service() -> Iterator[str]:
    """The address of a service; it needs neither Redis nor a ledger to describe itself."""
    port = free_port()
    environment = {"HOTBOARD_MODE": "naive", "HOTBOARD_LEDGER": "none", "HOTBOARD_PORT": str(port)}
    command = [sys.executable, "-m", "target_service"]
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        end = time.monotonic() + PATIENCE_SECONDS
        while not _is_alive(url):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        yield url
        process.terminate()


def _is_alive(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz").is_success
    except httpx.TransportError:
        return False


def test_the_page_has_all_its_parts_from_the_service(service: str, tmp_path: Path) -> None:
    """Every operation is shown, one can be tried out, and no other site was asked for anything."""
    with chromium_window(tmp_path) as browser:
        browser.open(f"{service}/docs")
        end = time.monotonic() + PATIENCE_SECONDS
        while not (
            shown := browser.run(
                "return [...document.querySelectorAll('.opblock-summary-path')]"
                ".map(one => one.innerText.replace(/\\u200b/g, ''))"
            )
        ):
            assert time.monotonic() < end
            time.sleep(0.1)
        asked = browser.run("return performance.getEntriesByType('resource').map(one => one.name)")
        status = browser.run(
            "return fetch('/v1/sweeps', {method: 'POST'}).then(told => told.status)"
        )
        browser.screenshot(tmp_path / "docs.png")

    assert {"/v1/scores", "/v1/top", "/v1/sweeps"} < set(shown)
    hosts = {urlsplit(one).netloc for one in asked if not one.startswith("data:")}
    assert hosts == {urlsplit(service).netloc}
    assert {"/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css", "/openapi.json"} <= {
        urlsplit(one).path for one in asked
    }
    # From the page itself it goes through the gate, and meets a service without a ledger.
    assert status == 503
