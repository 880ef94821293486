"""Two workers and one client: whichever answers, nothing is told that is older than before."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from durable_service import Durable, durable_service
from event_service import now_ms
from odometer_events import Json, race, settings
from valkey_process import ValkeyProcess

REFRESH_MS = 300
STATES = ["scheduled", "open", "closing", "closed"]


def _poll(port: int) -> Json:
    """One poll over a connection of its own, which any of the workers may get."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/v2/events/e")
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        told: Json = json.loads(body)
        return told
    finally:
        connection.close()


@contextmanager
def _racing(durable: Durable) -> Iterator[None]:
    """Races that come without a break."""
    ended = threading.Event()

    def deliver() -> None:
        number = 0
        while not ended.wait(0.005):
            number += 1
            durable.http.post("/v1/races", json=race("e", f"r{number}", now_ms()))

    racing = threading.Thread(target=deliver)
    racing.start()
    try:
        yield
    finally:
        ended.set()
        racing.join()


def test_no_worker_undercuts_another(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """Moments, totals and states only rise, with Redis and without, and stay at the end."""
    counts = str(tmp_path / "counts")
    with durable_service(
        "naive", own_valkey, tmp_path, HOTBOARD_WORKERS="2", PROMETHEUS_MULTIPROC_DIR=counts
    ) as durable:
        began_ms = now_ms()
        body = settings(began_ms - 1_000, began_ms + 2_000, grace_seconds=0)
        durable.http.put("/v1/events/e", json=body | {"refresh_ms": REFRESH_MS}).raise_for_status()
        told: list[Json] = []
        with _racing(durable):
            while now_ms() < began_ms + 1_200:
                told.append(_poll(durable.service.port))
            own_valkey.stop()
            while now_ms() < began_ms + 2_700:
                told.append(_poll(durable.service.port))
        reads = sum(durable.sample("odometer_reads_total", one) for one in ("redis", "ledger"))
        seconds = (now_ms() - began_ms) / 1_000

    moments = [(one["as_of"], one["total"], STATES.index(one["state"])) for one in told]
    for values in zip(*moments, strict=True):
        assert list(values) == sorted(values)
    assert (told[-1]["state"], told[-1]["total"] > 100) == ("closed", True)
    # Each of two workers once per interval, and a few more where one has to follow the other.
    assert reads <= 3 * (seconds * 1_000 / REFRESH_MS + 1)
