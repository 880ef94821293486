"""The audit of a run, made beside its ledger: on this machine, or in a container."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import redis

from lab.audit.achievements import add_members, settle_members
from lab.audit.community_event import EventEvidence, read_event_evidence, with_event
from lab.audit.evidence import Counters, read_counters, read_scores
from lab.audit.invariants import FinalScore, audit, incomparable_audit
from lab.audit.ledger_file import AcknowledgedSequence, LedgerEvidence, LedgerFile
from lab.errors import PartFailed
from lab.stack.stack import Stack

_PLAYERS_PER_READ = 1_000


class Row(NamedTuple):
    """A player's newest accepted event; none when only the outcome of a write is unknown."""

    player: str
    board: str
    score: int | None
    sequence: int | None
    has_unknown: bool


def read_rows(path: Path) -> list[Row]:
    """Every row of the file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Row(
                row["player"],
                row["board"],
                _whole(row["score"]),
                _whole(row["sequence"]),
                row["unknown"] != "0",
            )
            for row in csv.DictReader(lines)
        ]


def highest_accepted(rows: Iterable[Row]) -> Iterator[AcknowledgedSequence]:
    """The highest accepted sequence of every player that has one, unknown outcomes or not."""
    for row in rows:
        if row.sequence is not None:
            yield AcknowledgedSequence(row.board.rpartition(":")[2], row.player, row.sequence)


def scores_in_redis(rows: Iterable[Row], redis_url: str) -> Iterator[FinalScore]:
    """Newest accepted against stored scores, players with an unknown outcome left out."""
    acknowledged: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if not row.has_unknown and row.score is not None:
            acknowledged[row.board][row.player] = row.score
    for board, scores in acknowledged.items():
        players = list(scores)
        for start in range(0, len(players), _PLAYERS_PER_READ):
            some = players[start : start + _PLAYERS_PER_READ]
            for player, held in zip(some, read_scores(redis_url, board, some), strict=True):
                yield FinalScore(scores[player], held)


def _whole(text: str) -> int | None:
    return int(text) if text else None


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
            kept = ledger.count_kept(highest_accepted(rows))
            found = LedgerEvidence(unprojected, ledger.compare(stack.redis_url), kept)
            event = read_event_evidence(ledger.path, folder.name)
        audited = audit(before, after, measurements, scores, found)
        return with_event(audited, measurements, event, before, after)
    except FileNotFoundError as error:
        return incomparable_audit(f"the generator left no {Path(error.filename).name}")
    except (PartFailed, redis.RedisError) as error:
        return incomparable_audit(str(error))
