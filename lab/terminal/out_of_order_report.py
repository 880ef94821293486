"""The out-of-order drill: the sequence decides, in the ledger and in the ranking."""

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from lab.terminal.board_client import Sight
from lab.terminal.out_of_order_plan import Step, Story
from lab.terminal.outage import Outage
from lab.terminal.verdict_line import verdict_line

REPLAY: Final = "Replay after the outage"
_CONTRACT: Final = (
    "Sequence contract: an event whose sequence is not above its player's last one is stale; "
    "ledger and ranking keep the newer score."
)


@dataclass(frozen=True)
class Observed:
    """What became of one event: the answer, and its player's score in ledger and ranking.

    `ranked` is None where the ranking was not looked at: Redis was down.
    """

    status: str
    durable: int | None
    ranked: Sight | None


@dataclass(frozen=True)
class OutOfOrderMeasurement:
    """What became of every step of the story, in order, and of the outage."""

    observed: tuple[Observed, ...]
    outage: Outage


def out_of_order_report(measured: OutOfOrderMeasurement, story: Story, ledger: str) -> list[str]:
    """Write the report with one verdict for each claim."""
    pairs = list(zip((*story.before, *story.during), measured.observed, strict=True))
    problems: dict[str, list[str]] = {step.claim: [] for step, _ in pairs}
    for step, observed in pairs:
        problems[step.claim] += _problems(step, observed)
    told = [f"{step.event_id} {observed.status}" for step, observed in pairs]
    return [
        "OUT-OF-ORDER DRILL",
        f"Events, as player-sequence: {', '.join(told[: len(story.before)])}",
        f"Events while Redis was down: {', '.join(told[len(story.before) :])}",
        *(verdict_line(claim, found) for claim, found in problems.items()),
        verdict_line(REPLAY, _replay_problems(measured.outage, story)),
        _CONTRACT,
        f"Drilled on a server of the lab's own, with data saved and loaded again; {ledger}.",
    ]


def _problems(step: Step, observed: Observed) -> Iterator[str]:
    wanted = step.score_after
    if observed.status != step.status:
        yield f"{step.event_id} was {observed.status}, not {step.status}"
    if observed.durable != wanted:
        yield f"after {step.event_id} the ledger had {observed.durable}, not {wanted}"
    if observed.ranked is not None and observed.ranked != Sight(HTTPStatus.OK, wanted):
        yield f"after {step.event_id} the ranking showed {observed.ranked.shown()}, not {wanted}"


def _replay_problems(outage: Outage, story: Story) -> Iterator[str]:
    """Redis came back with the scores it went with, and caught up with the last ones."""
    for player, sight in zip(story.players_before(), outage.behind, strict=True):
        if sight != Sight(HTTPStatus.OK, player.score, recovering=True):
            yield (
                f"before the replay the ranking showed {player.player} with {sight.shown()}, "
                f"not {player.score} (recovering)"
            )
    for player, sight in zip(story.players(), outage.after, strict=True):
        if sight != Sight(HTTPStatus.OK, player.score):
            yield (
                f"after the replay the ranking showed {player.player} with {sight.shown()}, "
                f"not {player.score}"
            )
    if outage.unprojected:
        yield f"events still waiting for the ranking: {outage.unprojected}"
