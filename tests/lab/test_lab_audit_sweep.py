"""The audit's own sweep: for what it waits, and for what it does not."""

from dataclasses import dataclass, field

import pytest

from lab.audit import achievements as achievements_audit
from lab.audit.achievements import sweep_once_more
from lab.http_json import NoAnswer, Refused
from lab.sweep import Sweep, Sweeps

ENDED = Sweep(1, "2026-09-06T04:40:01.000Z", 2, 1, 1, 0, 0.5)
AT_WORK = Refused("Another sweep is at work; wait until it has ended", 409)
NO_ROOM = Refused("There is no room left for ledger.db", 503)


@dataclass(frozen=True)
class _Service(Sweeps):
    """Answers as it is told, the last answer again and again."""

    answers: list[Sweep | NoAnswer] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def begin(self) -> Sweep:
        """Tell the next answer."""
        self.asked.append("begin")
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        if isinstance(answer, NoAnswer):
            raise answer
        return answer


def test_a_sweep_at_work_is_waited_for() -> None:
    """So is a service that does not answer for a moment."""
    service = _Service("http://nowhere", answers=[AT_WORK, NoAnswer("timed out"), AT_WORK, ENDED])
    sweep_once_more(service)

    assert 4 == len(service.asked)


def test_a_full_disk_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute would pass, and the disk be as full; what the service said is told."""
    monkeypatch.setattr(achievements_audit, "_REFUSED_SECONDS", 0.0)
    monkeypatch.setattr(achievements_audit, "_ACHIEVEMENTS_AUDIT_PATIENCE_SECONDS", 86_400.0)
    service = _Service("http://nowhere", answers=[AT_WORK, NO_ROOM])

    with pytest.raises(NoAnswer, match=r"There is no room left for ledger\.db"):
        sweep_once_more(service)
    assert ["begin", "begin"] == service.asked


def test_a_refusal_of_a_moment_is_forgiven() -> None:
    """A ledger that was busy just then has time to answer."""
    service = _Service("http://nowhere", answers=[NO_ROOM, ENDED])
    sweep_once_more(service)

    assert 2 == len(service.asked)


def test_nobody_is_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lease that never runs out is told as what it is."""
    monkeypatch.setattr(achievements_audit, "_ACHIEVEMENTS_AUDIT_PATIENCE_SECONDS", 0.0)

    with pytest.raises(NoAnswer, match="Another sweep is at work"):
        sweep_once_more(_Service("http://nowhere", answers=[AT_WORK]))
