"""Counting never awards: shown by counting what is called, and what reaches Redis."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from achievements_client import Achieving
from executed_commands import executed_by
from leaderboard_client import Leaderboard
from problem_checks import check

from target_service.achievements import records as serving
from target_service.achievements import recount
from target_service.achievements.counting import Add, Count
from target_service.achievements.records import Records
from target_service.ledger.store import Store

REQUESTS = 100
COUNTED = "all is counted"


def test_counting_settles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred counts across every level call no code of the achievements; one look does."""
    calls: list[str] = []
    for module, name in ((serving, "recount"), (recount, "settle")):
        original = getattr(module, name)

        def counted(*given: Any, _name: str = name, _original: Any = original) -> Any:  # noqa: ANN401  (whatever it takes)
            calls.append(_name)
            return _original(*given)

        monkeypatch.setattr(module, name, counted)
    path = tmp_path / "ledger.db"
    Store(path, "normal").prepare()

    async def count_then_look() -> list[str]:
        """Count, and return what that called; then look once."""
        records = Records(path, "normal")
        records.open()
        adds = (1_000,) * 6
        counts = (Count("ann", [Add(f"e-{number}", adds)]) for number in range(REQUESTS))
        await asyncio.gather(*(records.count(one) for one in counts))
        before = list(calls)
        await records.recounted("ann")
        await records.close()
        return before

    assert [] == asyncio.run(count_then_look())
    assert ["recount", "settle"] == calls


def test_counting_never_reaches_redis(achieving: Achieving) -> None:
    """No command names anything of the achievements until somebody looks."""
    achieving.enrol("ingest", "ingest-org", "code")
    with executed_by(achieving.redis) as executed:
        for _ in range(REQUESTS):
            achieving.count("ingest", page_views=1_000, signups=100).raise_for_status()
        achieving.redis.echo(COUNTED)
        achieving.page("ingest")
        achieving.colleagues("ingest-org")
    seen = [one["command"] for one in executed]

    (counted,) = (place for place, one in enumerate(seen) if COUNTED in one)
    assert [] == [one for one in seen[:counted] if "ingest" in one or "achievements" in one]
    assert [] != [one for one in seen[counted:] if "achievements:points:ingest-org" in one]


def test_without_a_ledger_the_routes_say_why(leaderboard: Leaderboard) -> None:
    """Each says what the service lacks, and the description says that they are not offered."""
    answer = leaderboard.http.get("/v1/members/ann/achievements")
    described = leaderboard.http.get("/v1/boards").json()

    check(answer, 503, "ledger-required")
    assert described["capabilities"]["achievements"] is False
