"""The service as its users start it: a process that reads its environment."""

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
from free_ports import free_port

ROOT = Path(__file__).resolve().parents[2]
# How long a test waits for what must come: nothing here is about being quick.
PATIENCE_SECONDS = 120.0


class ServiceProcess:
    """One `python -m target_service`, with the settings given."""

    def __init__(self, log: Path, ledger: Path | None = None, **settings: str) -> None:
        """Take the settings; without a ledger's path there is none."""
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.log = log
        # As many ranks as a test likes, and a Redis that may take its time, unless it is about
        # these limits.
        kept = {
            "HOTBOARD_LEDGER": "none",
            "HOTBOARD_RANK_LIMIT": "100000",
            "HOTBOARD_REDIS_TIMEOUT_SECONDS": "30",
        }
        if ledger is not None:
            kept |= {"HOTBOARD_LEDGER": "sqlite", "HOTBOARD_LEDGER_PATH": str(ledger)}
        self._environment = environment(HOTBOARD_PORT=str(self.port), **kept | settings)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "target_service"],
                cwd=ROOT,
                env=self._environment,
                stderr=log,
            )
        deadline = time.monotonic() + PATIENCE_SECONDS
        with self.client() as http:
            while self.process.poll() is None and time.monotonic() < deadline:
                try:
                    http.get("/healthz")
                except httpx.TransportError:
                    time.sleep(0.05)
                else:
                    return
        self.stop()
        raise RuntimeError(f"The service did not start: {self.log.read_text()}")

    def client(self) -> httpx.Client:
        """A client that waits for its answers."""
        # Certificates, which nobody shows here, take longer to read than many a test.
        return httpx.Client(
            base_url=self.base_url,
            # What is sent as it is, is JSON too, or means to be.
            headers={"content-type": "application/json"},
            timeout=PATIENCE_SECONDS,
            verify=False,  # noqa: S501
        )

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> int:
        """End it as a supervisor would, and return its exit code."""
        if self.process is None:
            return 0
        self.process.terminate()
        try:
            return self.process.wait(timeout=PATIENCE_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()


def environment(**settings: str) -> dict[str, str]:
    """The tests' environment with these settings and no others of the service."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HOTBOARD_", "PROMETHEUS_"))
    }
    return kept | settings
