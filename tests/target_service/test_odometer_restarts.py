"""An event whose services are killed before it closes and started again after."""

import json
import time
from pathlib import Path

from durable_service import eventually
from event_service import now_ms
from odometer_events import race, read_only, settings
from odometer_proof import running


def test_two_schedulers_started_after_the_close_make_one_end(tmp_path: Path) -> None:
    """The steps that were missed are taken once, and what waited meanwhile still counts."""
    with running(tmp_path) as stack:
        first, second = stack.services
        at_ms = now_ms()
        body = settings(at_ms - 1_000, closes_at_ms := at_ms + 3_000, grace_seconds=6)
        with first.client() as http:
            http.put("/v1/events/e", json=body).raise_for_status()
            posted = http.post("/v1/races", json=race("e", "1", at_ms))
        for service in stack.services:
            service.kill()
        with stack.valkey.client() as redis:
            redis.xadd("races", {"races": json.dumps(race("e", "2", at_ms))})
        time.sleep(max(0, closes_at_ms + 100 - now_ms()) / 1_000)
        stack.start_services()
        with first.client() as one, second.client() as other:

            def told() -> list[dict[str, object]]:
                return [http.get("/v2/events/e").json() for http in (one, other)]

            assert posted.json()["counts"]["counted"] == 1
            assert eventually(lambda: {one["state"] for one in told()} == {"closed"})
            finals = [one["final"] for one in told()]
        connection = read_only(stack.ledger)
        steps = connection.execute(
            "SELECT state, due_ms <= at_ms FROM odometer_transitions ORDER BY at_ms, due_ms"
        ).fetchall()
        ends = connection.execute("SELECT count(*) FROM odometer_finals").fetchone()
        connection.close()

    assert steps == [("open", 1), ("closing", 1), ("closed", 1)]
    assert ends == (1,)
    assert finals[0] == finals[1]
    assert isinstance(finals[0], dict)
    assert (finals[0]["total"], finals[0]["races"]) == (10, 2)
