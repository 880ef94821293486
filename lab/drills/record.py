"""drill.json: what a drill did, what the clients saw of it, and how long recovery took."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.drills.backlog import Sample
from lab.drills.drill import Drill
from lab.drills.fault import Findings, Span
from lab.drills.observation import (
    longest_wait_ms,
    outcomes,
    second_by_second,
    seconds_recovering,
    seconds_unavailable,
)
from lab.drills.proof import Proof, prove, told_events
from lab.drills.recovery import recovery
from lab.drills.request_rows import Request, read_requests
from lab.errors import PartFailed
from lab.ledger_file import LedgerFile

SCHEMA_VERSION = 1


def prove_run(folder: Path, ledger: LedgerFile) -> Proof:
    """Compare a run's request log with its ledger.

    Raises:
        PartFailed: the ledger cannot be read, or the players were not all loaded, of whom only
            the audit knows which were.
        FileNotFoundError: the generator left no measurements, or no log.
    """
    loading = json.loads((folder / "measurements.json").read_bytes())["loading"]
    if loading["ok"] < loading["players"]:
        raise PartFailed(
            f"the run ended while its players were loaded, {loading['ok']:,} of "
            f"{loading['players']:,} of them accepted"
        )
    told = told_events(folder.name, loading["players"], read_requests(folder))
    return prove(told, ledger.events(folder.name))


def drill_document(
    drill: Drill,
    spans: Sequence[Span],
    requests: Sequence[Request],
    samples: Sequence[Sample],
    proof: Proof | None,
    findings: Findings,
) -> dict[str, Any]:
    """The content of the file; figures that nobody could take are null."""
    found = recovery(spans, requests, samples, findings.recovered_at) if spans else None
    since = spans[0].from_second if spans else 0
    reads = outcomes(requests, writes=False)
    return {
        "schema_version": SCHEMA_VERSION,
        "drill": drill.name,
        "sentence": drill.sentence,
        "faults": [asdict(span) for span in spans],
        "events": asdict(proof) if proof else None,
        "recovery_seconds": _rounded(found.seconds if found else None),
        "writes": outcomes(requests, writes=True),
        "reads": reads,
        "reads_recovering_seconds": seconds_recovering(requests) if reads else None,
        "reads_unavailable_seconds": seconds_unavailable(requests) if reads else None,
        "longest_wait_ms": longest_wait_ms(requests, since),
        "findings": list(findings.sentences),
        "seconds": [
            row | {"top_age_seconds": findings.top_ages.get(row["second"])}
            for row in second_by_second(requests, samples)
        ],
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
