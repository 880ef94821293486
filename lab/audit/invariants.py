"""The audit: what was acknowledged to clients, against what the service and Redis counted.

Pure functions from readings to the content of `audit.json`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lab.audit.evidence import ACCEPTED, BOARD_COMMANDS, Counters
from lab.audit.ledger_file import LedgerEvidence

NO_SCORES = "not applicable: the run neither loaded players nor sent submits"
NO_LEDGER = "this service keeps no ledger (LEDGER=none)"
FOREIGN = "the service is not ours: its Redis and counters are out of reach"
SERVICE_CHANGED = "the service's processes changed, and their counters with them"
REDIS_RESTARTED = "the Redis server was restarted, and its counters with it"
_RESET = "the Redis server's counts were reset meanwhile (CONFIG RESETSTAT)"
_NOT_AUDITED = "the command that made the run was ended before its audit"
# Why a run is compared less by its own design; for any other reason something is not verified.
_BY_DESIGN = frozenset({NO_SCORES, NO_LEDGER, FOREIGN})


@dataclass(frozen=True)
class Invariant:
    """One statement with both its sides; `left` and `right` are counts."""

    name: str
    left: int
    relation: str
    right: int

    @property
    def held(self) -> bool:
        """Whether the statement is true."""
        return self.left == self.right if self.relation == "=" else self.left <= self.right

    def document(self) -> dict[str, Any]:
        """The statement as `audit.json` has it."""
        return {**asdict(self), "held": self.held}


@dataclass(frozen=True)
class FinalScore:
    """The last score of a player that was acknowledged, and what Redis holds."""

    acknowledged: int
    held: int | None


def audit(
    before: Counters,
    after: Counters,
    measurements: Mapping[str, Any],
    scores: Iterable[FinalScore],
    ledger: LedgerEvidence | str = NO_LEDGER,
) -> dict[str, Any]:
    """The content of `audit.json` for a run against a stack of our own.

    `measurements` is the content of `measurements.json`; its population `all` and the
    loading are compared, not the measured phase alone. `ledger` may be why there is nothing
    to be read of it.
    """
    invariants: list[Invariant] = []
    reasons: dict[str, str] = {}
    if isinstance(ledger, str):
        reasons["ledger = projection"] = ledger
    else:
        invariants += _ledger(before, after, measurements, ledger)
    reasons |= _lost_counters(before, after)
    if "accepted events" not in reasons:
        invariants += _accepted_events(before, after, measurements)
    if "board commands" not in reasons:
        invariants += _board_commands(before, after)
    invariants.append(_final_scores(scores))
    if _acknowledged(measurements) == (0, 0) and not _submits(measurements):
        # Nothing against nothing says nothing; a score of somebody else would still be found.
        invariants = [one for one in invariants if one.left or one.right]
        reasons["scores of the leaderboard"] = NO_SCORES
    return {
        "populations": _populations(measurements),
        "invariants": [one.document() for one in invariants],
        "not_comparable": [not_comparable(name, reason) for name, reason in reasons.items()],
    }


def not_comparable(name: str, reason: str) -> dict[str, Any]:
    """What an audit does not compare, and whether that is as the run was meant to be."""
    return {"name": name, "reason": reason, "expected": reason in _BY_DESIGN}


def unmade_audit() -> dict[str, Any]:
    """What lies in the place of an audit until it is made, should its command be killed."""
    return incomparable_audit(_NOT_AUDITED)


def incomparable_audit(reason: str) -> dict[str, Any]:
    """An audit in which nothing can be compared, for one reason."""
    names = ("accepted events", "board commands", "ledger = projection", "final scores")
    return {
        "populations": None,
        "invariants": [],
        "not_comparable": [not_comparable(name, reason) for name in names],
    }


def audit_sentence(report: Mapping[str, Any]) -> str:
    """What an audit found, for when its file cannot be written."""
    invariants = report["invariants"]
    if not invariants:
        return "The audit is not kept; nothing could be compared."
    broken = [
        f"{one['name']}: {one['left']:,} {one['relation']} {one['right']:,} does not hold"
        for one in invariants
        if not one["held"]
    ]
    held = f"{len(invariants) - len(broken)} of {len(invariants)} invariants held"
    return "\n".join([f"The audit is not kept; of it {held}.", *broken])


def foreign_audit() -> dict[str, Any]:
    """The audit of a service that is not ours."""
    return incomparable_audit(FOREIGN)


def _lost_counters(before: Counters, after: Counters) -> dict[str, str]:
    """What cannot be compared, and why: counters end with the process that kept them."""
    if before.service_processes != after.service_processes:
        return dict.fromkeys(("accepted events", "board commands"), SERVICE_CHANGED)
    if before.redis_run_id != after.redis_run_id:
        return {"board commands": REDIS_RESTARTED}
    if any(after.executed[command] < before.executed[command] for command in BOARD_COMMANDS):
        return {"board commands": _RESET}
    return {}


def _accepted_events(
    before: Counters, after: Counters, measurements: Mapping[str, Any]
) -> list[Invariant]:
    acknowledged, unknown = _acknowledged(measurements)
    counted = after.accepted_events - before.accepted_events
    return [
        Invariant("accepted events: told ≤ counted by the service", acknowledged, "≤", counted),
        Invariant(
            "accepted events: counted by the service ≤ told + unknown",
            counted,
            "≤",
            acknowledged + unknown,
        ),
    ]


def _ledger(
    before: Counters, after: Counters, measurements: Mapping[str, Any], ledger: LedgerEvidence
) -> list[Invariant]:
    """The ledger outlives the processes, so that this holds whoever was killed meanwhile."""
    acknowledged, unknown = _acknowledged(measurements)
    rows = after.ledger_rows - before.ledger_rows
    found = ledger.comparison
    return [
        Invariant("ledger: events told as accepted ≤ rows", acknowledged, "≤", rows),
        Invariant("ledger: rows ≤ told + unknown", rows, "≤", acknowledged + unknown),
        Invariant(
            "ledger: players whose highest accepted sequence it holds, or a later one = players",
            ledger.kept.players,
            "=",
            ledger.kept.acknowledged,
        ),
        Invariant("ledger: changes left to be projected = 0", ledger.unprojected, "=", 0),
        Invariant(
            "ledger = projection: entries in both = entries in either",
            found.equal,
            "=",
            found.entries,
        ),
    ]


def _acknowledged(measurements: Mapping[str, Any]) -> tuple[int, int]:
    """Events acknowledged to clients, and those whose outcome they never learned."""
    loading, whole = measurements["loading"], _submits(measurements)
    if whole is None:
        return loading["ok"], loading["unknown"]
    acknowledged = loading["ok"] + sum(whole["statuses"].get(status, 0) for status in ACCEPTED)
    return acknowledged, loading["unknown"] + whole["unknown"]


def _submits(measurements: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """All submits of a run, from the warm-up to the last answer; None when it sends none."""
    submits = measurements["operations"].get("submit")
    return submits["all"] if submits else None


def _board_commands(before: Counters, after: Counters) -> list[Invariant]:
    """For each command: answered ≤ executed by the server ≤ answered + unknown."""
    invariants = []
    scripts_unknown = after.unknown["evalsha"] - before.unknown["evalsha"]
    for command in BOARD_COMMANDS:
        answered = after.answered[command] - before.answered[command]
        executed = after.executed[command] - before.executed[command]
        unknown = after.unknown[command] - before.unknown[command]
        if command != "evalsha":
            # A script whose answer never came may have run its inner commands or not.
            unknown += scripts_unknown
        if answered == executed == 0:
            continue
        invariants += [
            Invariant(f"{command}: answered ≤ executed by Redis", answered, "≤", executed),
            Invariant(
                f"{command}: executed by Redis ≤ answered + unknown",
                executed,
                "≤",
                answered + unknown,
            ),
        ]
    return invariants


def _final_scores(scores: Iterable[FinalScore]) -> Invariant:
    pairs = [score.acknowledged == score.held for score in scores]
    name = "final scores: players whose score in Redis is the last one accepted = players compared"
    return Invariant(name, sum(pairs), "=", len(pairs))


def _populations(measurements: Mapping[str, Any]) -> dict[str, Any]:
    names = ("offered", "sent", "dropped", "ok", "failed")
    return {
        operation: {
            "measured": {name: figures[name] for name in names},
            "all": {name: figures["all"][name] for name in (*names, "unknown")},
        }
        for operation, figures in measurements["operations"].items()
    }
