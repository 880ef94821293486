"""The audit inside the compose stack: what it removes, and how it fails."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from lab.audit import compose_audit
from lab.audit.compose_audit import audit_in_compose
from lab.audit.evidence import Counters
from lab.audit_service import AuditOrder, remove_ledgers
from lab.stack.compose import ComposeStack
from lab.stack.docker import Docker
from lab.stack.stack import Session

NOTHING = Counters(frozenset(), "r", 0, {}, {}, {})


def test_ledgers_go_with_their_runs(tmp_path: Path) -> None:
    """Those of runs that are gone go, with all that lies beside them; every other file stays."""
    gone, kept, used = (f"2026010{day}T000000Z-peak-naive.db" for day in (1, 2, 3))
    staying = [kept, f"{kept}-wal", used, f"{used}-shm", "ledger.db", "ledger.db-wal", "mine.db"]
    for name in [gone, f"{gone}-wal", f"{gone}-top-s1", *staying]:
        (tmp_path / name).touch()

    removed = remove_ledgers(tmp_path / used, {kept.removesuffix(".db")})

    assert removed == [gone]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(staying)


@pytest.mark.parametrize("said", ["", "{}\n", "no document\n"])
def test_whoever_asks_without_an_order_is_told(said: str) -> None:
    """One sentence and exit code 2, without a traceback."""
    asked = subprocess.run(
        [sys.executable, "-m", "lab.audit_service"],
        input=said,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (2, "") == (asked.returncode, asked.stdout)
    assert asked.stderr.startswith("The lab asks for an audit with a line of JSON; this is none: ")


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("exec /bin/sleep 60", "`docker compose run` took longer than 0.2 s."),
        ("echo no document", "The service `lab` answered with something else: "),
        ("echo No such image >&2; exit 1", "`docker compose run` failed: No such image"),
    ],
)
def test_a_docker_that_fails_is_the_reason(
    script: str, sentence: str, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger is not comparable then, and it is said why; nothing waits for ever."""
    monkeypatch.setattr(compose_audit, "_AUDIT_SECONDS", 0.2 if "sleep" in script else 30.0)
    monkeypatch.setattr(ComposeStack, "service_processes", lambda _: frozenset())
    monkeypatch.setattr(compose_audit, "audit_with_members", lambda *given: {"why": given[-1]})
    program = tmp_path / "docker"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    stack = ComposeStack("redis://-", "http://-", Docker(str(program), {}, session), ())
    folder = tmp_path / "runs" / "run"
    folder.mkdir(parents=True)

    reason = audit_in_compose(NOTHING, stack, folder)["why"]

    assert reason.startswith("the ledger in the volume of the containers could not be read: ")
    assert sentence in reason


def test_an_order_arrives_as_it_was_sent() -> None:
    """Processes and counters keep their kinds on their way."""
    processes: frozenset[tuple[int | str, float | str]] = frozenset(
        {("id", "2026-01-01T00:00:00Z"), (7, 1.5)}
    )
    order = AuditOrder("run", NOTHING, processes, {"a": "b\n"}, frozenset({"run"}))

    line = msgspec.json.encode(order)

    assert b"\n" not in line
    assert msgspec.json.decode(line, type=AuditOrder) == order
