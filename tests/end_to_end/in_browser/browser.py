"""A headless Chromium, driven through its WebDriver, which is plain JSON over HTTP (W3C)."""

import base64
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1300,1000",
)  # fmt: skip
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_SECONDS = 30.0
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def programs() -> tuple[str, str]:
    """Where Chromium and its driver are; a test that needs them fails when they are not there."""
    chromium = next((at for name in CHROMIUM if (at := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        raise AssertionError("run `make ui-check`, which installs chromium and chromium-driver")
    return chromium, driver


@dataclass(frozen=True)
class Browser:
    """One window."""

    client: httpx.Client

    def open(self, url: str) -> None:
        """Go to an address."""
        self._post("url", {"url": url})

    def click(self, text: str) -> None:
        """Click on what carries exactly this text, once it is there."""
        self._post(f"element/{self._find(text)}/click", {})

    def wait_for(self, text: str) -> None:
        """Wait until something carries this text."""
        self._find(text)

    def run(self, script: str) -> Any:  # noqa: ANN401  whatever the script returns
        """Run a script in the page, and give what it returns."""
        return self._post("execute/sync", {"script": script, "args": []})

    def rows(self) -> list[list[str]]:
        """The cells of the table in view, its heading first."""
        found: list[list[str]] = self.run(
            "return [...document.querySelectorAll('table tr')]"
            ".map(row => [...row.cells].map(cell => cell.innerText))"
        )
        return found

    def wait_for_rows(self, least: int) -> list[list[str]]:
        """Wait until the table in view has so many rows below its heading."""
        end = time.monotonic() + PATIENCE_SECONDS
        while len(rows := self.rows()) <= least:
            assert time.monotonic() < end, rows
            time.sleep(0.2)
        return rows

    def resize(self, width: int, height: int) -> None:
        """Give the page so much room."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        command = "Emulation.setDeviceMetricsOverride"
        self._post("goog/cdp/execute", {"cmd": command, "params": size})

    def screenshot(self, path: Path) -> None:
        """Save what is seen."""
        answer = self.client.get("screenshot")
        path.write_bytes(base64.b64decode(answer.json()["value"]))

    def _find(self, text: str) -> str:
        end = time.monotonic() + PATIENCE_SECONDS
        way = {"using": "xpath", "value": f"//*[normalize-space(text())='{text}']"}
        while True:
            answer = self.client.post("element", json=way).json()["value"]
            if ELEMENT in answer:
                return str(answer[ELEMENT])
            assert time.monotonic() < end, f"{text!r} never appeared"
            time.sleep(0.2)

    def _post(self, command: str, content: dict[str, Any]) -> Any:  # noqa: ANN401  as above
        answer = self.client.post(command, json=content)
        assert answer.status_code == httpx.codes.OK, answer.text
        return answer.json()["value"]


@contextmanager
def chromium_window(folder: Path) -> Iterator[Browser]:
    """Open a window with a profile of its own."""
    chromium, driver = programs()
    port = _free_port()
    with (folder / "chromedriver.log").open("wb") as log:
        process = subprocess.Popen([driver, f"--port={port}"], stdout=log, stderr=log)
    try:
        base = f"http://127.0.0.1:{port}"
        _await(f"{base}/status")
        options = {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={folder / 'profile'}"]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        made = httpx.post(f"{base}/session", json=wanted, timeout=PATIENCE_SECONDS)
        session = f"{base}/session/{made.json()['value']['sessionId']}"
        with httpx.Client(base_url=session, timeout=PATIENCE_SECONDS) as client:
            yield Browser(client)
            client.delete(session)
    finally:
        process.terminate()
        process.wait()


def _await(url: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            assert time.monotonic() < end, f"{url} never answered"
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
