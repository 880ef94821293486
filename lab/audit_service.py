"""`python -m lab.audit_service`: the audit inside the compose stack, where the ledger's file lies.

It reads one line, what it is to audit, and prints one, what it found.
"""

import os
import re
import sys
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from lab.audit.evidence import Counters
from lab.audit.invariants import NO_LEDGER
from lab.audit.ledger_file import LedgerFile
from lab.audit.run_audit import audit_with_members
from lab.stack.stack import Processes

_USAGE = 2
_OF_A_RUN = re.compile(r"\d{8}T\d{6}Z-.+")


class AuditOrder(msgspec.Struct, frozen=True):
    """A run, what was counted before it, and what its generator left.

    `processes` are the service's as they are seen from outside; of the ledgers in the volume,
    those of `kept` runs stay.
    """

    run: str
    before: Counters
    processes: Processes
    files: dict[str, str]
    kept: frozenset[str]


class AuditAnswer(msgspec.Struct, frozen=True):
    """The content of `audit.json`, and the names of the ledgers that were removed."""

    audit: dict[str, Any]
    removed: list[str]


@dataclass(frozen=True)
class SeenFromInside:
    """The stack at the addresses it has for its own containers; who is up is watched outside."""

    service_url: str
    redis_url: str
    processes: Processes

    def failure(self) -> str | None:
        """Nothing that could be seen here."""
        return None

    def service_processes(self) -> Processes:
        """The service's processes, as whoever asks for the audit saw them."""
        return self.processes


def main() -> int:
    """Audit one run."""
    try:
        order = msgspec.json.decode(sys.stdin.buffer.readline(), type=AuditOrder)
    except msgspec.MsgspecError as error:
        print(
            f"The lab asks for an audit with a line of JSON; this is none: {error}.",
            file=sys.stderr,
        )
        return _USAGE
    ledger = LedgerFile(Path(os.environ["HOTBOARD_LEDGER_PATH"]), os.environ["HOTBOARD_MODE"])
    stack = SeenFromInside(
        os.environ["HOTBOARD_SERVICE_URL"], os.environ["HOTBOARD_REDIS_URL"], order.processes
    )
    with TemporaryDirectory() as parent:
        folder = Path(parent) / order.run
        folder.mkdir()
        for name, text in order.files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        audit = audit_with_members(order.before, stack, folder, ledger, NO_LEDGER)
    removed = remove_ledgers(ledger.path, order.kept)
    print(msgspec.json.encode(AuditAnswer(audit, removed)).decode())
    return 0


def remove_ledgers(used: Path, kept: Collection[str]) -> list[str]:
    """Remove the ledgers of runs that are gone, and all that lies beside each; return their names.

    Whatever is no run's stays, and so does the ledger in use.
    """
    removed = []
    for ledger in sorted(used.parent.glob("*.db")):
        if ledger == used or ledger.stem in kept or not _OF_A_RUN.fullmatch(ledger.stem):
            continue
        # what cannot be removed now is tried again after the next run
        with suppress(OSError):
            for beside in used.parent.glob(f"{ledger.name}-*"):
                beside.unlink()
            ledger.unlink()
            removed.append(ledger.name)
    return removed


if __name__ == "__main__":
    sys.exit(main())
