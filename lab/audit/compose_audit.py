"""The audit of a run against the compose stack: its service `lab` makes it, beside the ledger."""

from pathlib import Path
from typing import Any

import msgspec

from lab.audit.evidence import Counters
from lab.audit.run_audit import audit_with_members
from lab.audit_service import AuditAnswer, AuditOrder
from lab.errors import PartFailed
from lab.stack.compose import ComposeStack

# Longer than all that the audit itself is patient for.
_AUDIT_SECONDS = 240.0
_FILES = ("measurements.json", "final_scores.csv")


def audit_in_compose(before: Counters, stack: ComposeStack, folder: Path) -> dict[str, Any]:
    """Have the run audited inside; if that fails, audit from here what can be seen from here."""
    failure = stack.failure()
    if failure is None:
        try:
            answer = _ask(before, stack, folder)
        except PartFailed as error:
            failure = f"the ledger in the volume of the containers could not be read: {error}"
        else:
            if answer.removed:
                gone = ", ".join(answer.removed)
                print(f"Removed from the volume of the ledgers, their runs are gone: {gone}.")
            return answer.audit
    return audit_with_members(before, stack, folder, None, failure)


def _ask(before: Counters, stack: ComposeStack, folder: Path) -> AuditAnswer:
    texts = {name: folder / name for name in _FILES}
    order = AuditOrder(
        run=folder.name,
        before=before,
        processes=stack.service_processes(),
        files={name: path.read_text("utf-8") for name, path in texts.items() if path.exists()},
        kept=frozenset(path.name for path in folder.parent.iterdir()),
    )
    line = msgspec.json.encode(order).decode()
    words = ("compose", "run", "--rm", "-T", "lab")
    told = stack.docker.tell(f"{line}\n", *words, patience_seconds=_AUDIT_SECONDS)
    try:
        return msgspec.json.decode(told, type=AuditAnswer)
    except msgspec.MsgspecError as error:
        raise PartFailed(f"The service `lab` answered with something else: {error}.") from None
