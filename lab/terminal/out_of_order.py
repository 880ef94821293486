"""`out-of-order`: events that come late, with sequences, through an outage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from lab.stack.service_settings import describe_ledger
from lab.terminal.bench import Bench, Workbench, progress
from lab.terminal.board_client import Probe
from lab.terminal.outage import Outage, go_through_outage
from lab.terminal.report_lines import verdict_line
from workload.dataset import Entry
from workload.model import partition_keys

FIRST: Final = "First event of a player"
OLDER: Final = "Delayed older event"
EQUAL: Final = "Equal sequence of another event"
NEWER: Final = "Newer sequence"
RETRY: Final = "Retry of an old event"
OTHER: Final = "Independent players"
OUTAGE: Final = "Older event during the outage"


@dataclass(frozen=True)
class Step:
    """One event, the answer it must get, and the score its player must have after it.

    A statement is proven by all of its steps.
    """

    statement: str
    event_id: str
    entry: Entry
    sequence: int
    status: str
    score_after: int


@dataclass(frozen=True)
class Story:
    """The events while all is well, those while Redis is down, and where both players end."""

    before: tuple[Step, ...]
    during: tuple[Step, ...]

    def players(self) -> tuple[Entry, ...]:
        """The players, each with the score of its last step."""
        return _last(self.before + self.during)

    def players_before(self) -> tuple[Entry, ...]:
        """The same players, each with its score when Redis goes down."""
        return _last(self.before)


def make_story(partitions: Sequence[str]) -> Story:
    """Write the story of two players, on two partitions where there are two.

    Some late events carry a higher score and some newer ones a lower one: the sequence decides,
    never the score.
    """
    one, other = partitions[0], partitions[-1]

    def step(statement: str, event: str, score: int, status: str, score_after: int) -> Step:
        """One row; the event names its player and its sequence."""
        player, sequence = event.split("-")[:2]
        entry = Entry(f"player-{player}", one if player == "one" else other, score)
        return Step(statement, event, entry, int(sequence), status, score_after)

    return Story(
        before=(
            step(FIRST, "one-2", 500, "applied", 500),
            step(OLDER, "one-1", 400, "stale", 500),
            step(OLDER, "one-1-higher", 900, "stale", 500),
            step(EQUAL, "one-2-other", 900, "stale", 500),
            step(NEWER, "one-3", 450, "applied", 450),
            step(RETRY, "one-2", 500, "duplicate", 450),
            step(RETRY, "one-1", 400, "stale", 450),
            step(OTHER, "two-1", 300, "applied", 300),
        ),
        during=(
            step(OUTAGE, "one-6", 700, "durable-only", 700),
            step(OUTAGE, "one-5", 800, "stale", 700),
            step(OUTAGE, "one-6", 700, "duplicate", 700),
            step(OUTAGE, "one-7", 650, "durable-only", 650),
            step(OTHER, "two-2", 350, "durable-only", 350),
            step(OUTAGE, "two-1", 300, "duplicate", 350),
        ),
    )


def _last(steps: Sequence[Step]) -> tuple[Entry, ...]:
    entries = {
        step.entry.player: Entry(step.entry.player, step.entry.partition, step.score_after)
        for step in steps
    }
    return tuple(entries.values())


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
    ranked: Probe | None


@dataclass(frozen=True)
class OutOfOrderMeasurement:
    """What became of every step of the story, in order, and of the outage."""

    observed: tuple[Observed, ...]
    outage: Outage


def out_of_order_report(measured: OutOfOrderMeasurement, story: Story, ledger: str) -> list[str]:
    """Write the report with one verdict for each statement."""
    pairs = list(zip((*story.before, *story.during), measured.observed, strict=True))
    problems: dict[str, list[str]] = {step.statement: [] for step, _ in pairs}
    for step, observed in pairs:
        problems[step.statement] += _problems(step, observed)
    told = [f"{step.event_id} {observed.status}" for step, observed in pairs]
    return [
        "OUT-OF-ORDER DRILL",
        f"Events, as player-sequence: {', '.join(told[: len(story.before)])}",
        f"Events while Redis was down: {', '.join(told[len(story.before) :])}",
        *(verdict_line(statement, found) for statement, found in problems.items()),
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
    if observed.ranked is not None and observed.ranked != Probe(HTTPStatus.OK, wanted):
        yield f"after {step.event_id} the ranking showed {observed.ranked.shown()}, not {wanted}"


def _replay_problems(outage: Outage, story: Story) -> Iterator[str]:
    """Redis came back with the scores it went with, and caught up with the last ones."""
    for player, probe in zip(story.players_before(), outage.behind, strict=True):
        if probe != Probe(HTTPStatus.OK, player.score, recovering=True):
            yield (
                f"before the replay the ranking showed {player.player} with {probe.shown()}, "
                f"not {player.score} (recovering)"
            )
    for player, probe in zip(story.players(), outage.after, strict=True):
        if probe != Probe(HTTPStatus.OK, player.score):
            yield (
                f"after the replay the ranking showed {player.player} with {probe.shown()}, "
                f"not {player.score}"
            )
    if outage.unprojected:
        yield f"events still waiting for the ranking: {outage.unprojected}"


def out_of_order(workbench: Workbench) -> list[str]:
    """Report whether an older event ever took the place of a newer one."""
    story = make_story(partition_keys(workbench.assumptions))
    with workbench.drill_bench() as bench:
        measured = _measure(bench, story)
    return out_of_order_report(measured, story, describe_ledger(workbench.drilled))


def _measure(bench: Bench, story: Story) -> OutOfOrderMeasurement:
    progress(f"sending {len(story.before)} events out of order")
    before = [
        replace(_send(bench, step), ranked=bench.client.probe(step.entry)) for step in story.before
    ]

    def send_rest() -> list[Observed]:
        progress(f"sending {len(story.during)} more while Redis is down")
        return [_send(bench, step) for step in story.during]

    during, outage = go_through_outage(bench, story.players(), send_rest)
    return OutOfOrderMeasurement((*before, *during), outage)


def _send(bench: Bench, step: Step) -> Observed:
    status = bench.client.deliver(step.event_id, step.entry, step.sequence)
    return Observed(status, bench.ledger.score(step.entry.player), None)
