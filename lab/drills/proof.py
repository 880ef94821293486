"""Event by event: what was acknowledged against what the ledger stored; drill.json."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lab.audit.evidence import ACCEPTED
from lab.audit.invariants import Invariant
from lab.audit.ledger_file import LedgerFile, StoredEvent
from lab.drills.drill import Drill
from lab.drills.fault import Findings, Span
from lab.drills.observation import (
    longest_wait_ms,
    outcomes,
    recovery,
    second_by_second,
    seconds_recovering,
    seconds_unavailable,
)
from lab.drills.request_rows import Request, read_requests
from lab.drills.run_clock import Sample
from lab.errors import PartFailed


@dataclass(frozen=True)
class Proof:
    """Events acknowledged to clients, and how many of them were lost, repeated or reversed."""

    accepted: int
    lost: int
    applied_twice: int
    gone_backwards: int
    # in which part of the run they were acknowledged; the three are all that were accepted, and one
    # that did not begin has none
    accepted_loaded: int
    accepted_warmup: int | None
    accepted_measured: int | None

    def invariants(self) -> list[Invariant]:
        """The proof as lines of the audit."""
        return [
            Invariant(
                "each event: told as accepted = stored in the ledger",
                self.accepted,
                "=",
                self.accepted - self.lost,
            ),
            Invariant("each event: told as accepted twice or more = 0", self.applied_twice, "=", 0),
            Invariant(
                "each player: events stored after a later one = 0", self.gone_backwards, "=", 0
            ),
        ]


class AcknowledgedEvents(NamedTuple):
    """How often each event was acknowledged to a client, by the part of the run.

    None stands for a part in which no request was due.
    """

    loaded: Counter[str]
    warmup: Counter[str] | None
    measured: Counter[str] | None

    def parts(self) -> list[Counter[str]]:
        """Those that took place."""
        return [part for part in self if part is not None]


def acknowledged_events(
    run_id: str, loaded: int, requests: Iterable[Request]
) -> AcknowledgedEvents:
    """Count the acknowledged events; an event belongs to the part in which it first fell due."""
    due = list(requests)
    return AcknowledgedEvents(
        Counter(f"{run_id}-p{player}" for player in range(loaded)),
        _acknowledged(run_id, [request for request in due if request.number < 0]),
        _acknowledged(run_id, [request for request in due if request.number >= 0]),
    )


def _acknowledged(run_id: str, requests: Sequence[Request]) -> Counter[str] | None:
    """The acknowledged events of a part of the run; None when nothing was due in it."""
    if not requests:
        return None
    return Counter(
        f"{run_id}-{request.number}"
        for request in requests
        if request.operation == "submit" and request.outcome in ACCEPTED
    )


def prove(acknowledged: AcknowledgedEvents, stored: Sequence[StoredEvent]) -> Proof:
    """Compare both sides; the ledger's events come in the order in which they were stored."""
    held = {event.event_id for event in stored}
    return Proof(
        accepted=sum(map(len, acknowledged.parts())),
        lost=sum(len(part.keys() - held) for part in acknowledged.parts()),
        applied_twice=sum(times > 1 for part in acknowledged.parts() for times in part.values()),
        gone_backwards=_gone_backwards(stored),
        accepted_loaded=len(acknowledged.loaded),
        accepted_warmup=None if acknowledged.warmup is None else len(acknowledged.warmup),
        accepted_measured=None if acknowledged.measured is None else len(acknowledged.measured),
    )


def _gone_backwards(stored: Iterable[StoredEvent]) -> int:
    highest: dict[tuple[str, str], int] = {}
    count = 0
    for event in stored:
        player, sequence = (event.season, event.player), abs(event.sequence)
        # An event without a sequence repeats the last one's: arrival order decides.
        count += event.sequence > 0 and sequence <= highest.get(player, 0)
        highest[player] = max(sequence, highest.get(player, 0))
    return count


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
    acknowledged = acknowledged_events(folder.name, loading["players"], read_requests(folder))
    return prove(acknowledged, ledger.events(folder.name))


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
