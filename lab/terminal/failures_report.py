"""The failure drill: what retries, an outage and an old answer may not do."""

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from lab.terminal.board_client import Sight
from lab.terminal.outage import Outage
from lab.terminal.truth import Standing
from lab.terminal.verdict_line import verdict_line

_CONTRACT: Final = (
    "Failure contract: durable writes continue; ranking reads are stale or unavailable "
    "until projection recovery."
)


@dataclass(frozen=True)
class FailuresMeasurement:
    """What the service told; `durable_score` is the champion's in the ledger's file."""

    retry_statuses: tuple[str, ...]
    retry_scores: tuple[int | None, ...]
    outage_statuses: tuple[str, ...]
    durable_score: int | None
    outage: Outage
    captured: tuple[Standing, ...]
    fresh: tuple[Standing, ...]


@dataclass(frozen=True)
class FailuresExpected:
    """What the in-memory truth says: scores, and the top before and after the outage."""

    retried: int
    champion: Standing
    champion_before: int
    captured: tuple[Standing, ...]
    fresh: tuple[Standing, ...]


def failures_report(
    measured: FailuresMeasurement, expected: FailuresExpected, ledger: str
) -> list[str]:
    """Write the report with one verdict for each drill."""
    outage = measured.outage
    sights = (*outage.down, *outage.behind, *outage.after)
    down, behind, after = (sight.shown() for sight in sights)
    champion = expected.champion[0]
    return [
        "FAILURE DRILL",
        f"Event sent twice: {', then '.join(measured.retry_statuses)}",
        f"Event sent twice while Redis was down: {', then '.join(measured.outage_statuses)}",
        f"Its score in the ranking: {down} then, {behind} with Redis back, {after} after replay",
        f"Events replayed: {outage.replayed}",
        f"Its place in the captured top: {_place(champion, measured.captured)}",
        f"Its place in a fresh top: {_place(champion, measured.fresh)}",
        verdict_line("Duplicate retry", _retry_problems(measured, expected)),
        verdict_line("Redis outage replay", _outage_problems(measured, expected)),
        verdict_line("Delayed aggregation", _aggregation_problems(measured, expected)),
        _CONTRACT,
        f"Drilled on a server of the lab's own, with data saved and loaded again; {ledger}.",
    ]


def _retry_problems(measured: FailuresMeasurement, expected: FailuresExpected) -> Iterator[str]:
    if measured.retry_statuses != ("applied", "duplicate"):
        yield f"the answers were {', '.join(measured.retry_statuses)}"
    if measured.retry_scores != (expected.retried,) * 2:
        first, second = measured.retry_scores
        yield f"the ranking had {first} and then {second}, {expected.retried} was sent"


def _outage_problems(measured: FailuresMeasurement, expected: FailuresExpected) -> Iterator[str]:
    outage, score = measured.outage, expected.champion[1]
    (down,), (behind,), (after,) = outage.down, outage.behind, outage.after
    if measured.outage_statuses != ("durable-only", "duplicate"):
        yield f"the answers were {', '.join(measured.outage_statuses)}"
    if measured.durable_score != score:
        yield f"the ledger had {measured.durable_score}, {score} was sent"
    if down.status == HTTPStatus.OK:
        yield "the ranking answered while Redis was down"
    if behind != Sight(HTTPStatus.OK, expected.champion_before, recovering=True):
        yield (
            f"before the replay the ranking showed {behind.shown()}, "
            f"not {expected.champion_before} (recovering)"
        )
    if after != Sight(HTTPStatus.OK, score):
        yield f"after the replay the ranking showed {after.shown()}, not {score}"
    if outage.replayed != 1:
        yield f"events replayed: {outage.replayed}, not 1"
    if outage.unprojected:
        yield f"events still waiting for the ranking: {outage.unprojected}"


def _aggregation_problems(
    measured: FailuresMeasurement, expected: FailuresExpected
) -> Iterator[str]:
    champion = expected.champion[0]
    if champion in dict(measured.captured):
        yield f"{champion} was in the top before it had the score"
    if champion != measured.fresh[0][0]:
        yield f"{champion} is not first in a fresh top"
    for name in ("captured", "fresh"):
        answer, truth = getattr(measured, name), getattr(expected, name)
        if answer != truth:
            yield f"the {name} top is {answer}, the truth is {truth}"


def _place(player: str, top: tuple[Standing, ...]) -> str:
    names = [name for name, _ in top]
    return str(names.index(player) + 1) if player in names else "none"
