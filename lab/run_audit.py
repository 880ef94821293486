"""The audit of a run: gathers what everybody counted, once the load is over."""

import json
from pathlib import Path
from typing import Any

import redis

from lab.achievements_audit import add_members, settle_members
from lab.audit import audit, incomparable_audit
from lab.errors import PartFailed
from lab.event_audit import with_event
from lab.event_evidence import EventEvidence, read_event_evidence
from lab.evidence import Counters, read_counters
from lab.final_scores import highest_accepted, read_rows, scores_in_redis
from lab.ledger_file import LedgerEvidence, LedgerFile
from lab.stack import Stack


def audit_with_members(
    before: Counters, stack: Stack, folder: Path, ledger: LedgerFile | None, no_ledger: str
) -> dict[str, Any]:
    """The whole audit of a run: what `audit_run` compares, and the members if it had any."""
    # Unlocks that are still being published would be executed by Redis after the service has told
    # how many it counted.
    members = settle_members(stack, ledger.path if ledger else no_ledger, folder)
    audited = audit_run(before, stack, folder, ledger, no_ledger)
    add_members(audited, stack, members, folder)
    return audited


def audit_run(
    before: Counters, stack: Stack, folder: Path, ledger: LedgerFile | None, no_ledger: str
) -> dict[str, Any]:
    """Compare what can be compared; what a dead process took with it is said to be so.

    `no_ledger` is why nothing can be read of a ledger where there is none to be read.
    """
    failure = stack.failure()
    if failure is not None:
        return incomparable_audit(failure)
    try:
        measurements = json.loads((folder / "measurements.json").read_bytes())
        read_counters(stack)  # of a service that does not answer nothing is waited for
        unprojected = ledger.settle() if ledger else 0
        rows = read_rows(folder / "final_scores.csv")
        scores = list(scores_in_redis(rows, stack.redis_url))
        after = read_counters(stack, ledger)
        found: LedgerEvidence | str = no_ledger
        event: EventEvidence | str = no_ledger
        if ledger is not None:
            kept = ledger.keep(highest_accepted(rows))
            found = LedgerEvidence(unprojected, ledger.compare(stack.redis_url), kept)
            event = read_event_evidence(ledger.path, folder.name)
        audited = audit(before, after, measurements, scores, found)
        return with_event(audited, measurements, event, before, after)
    except FileNotFoundError as error:
        return incomparable_audit(f"the generator left no {Path(error.filename).name}")
    except (PartFailed, redis.RedisError) as error:
        return incomparable_audit(str(error))
