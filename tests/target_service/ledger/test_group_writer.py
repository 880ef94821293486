"""What becomes of one event, case by case."""

from pathlib import Path

import pytest
from ledger_opening import DUO, NEXT_SEASON, SOLO, opened, run, statuses

from target_service.ledger.events import Batch, BatchOutcome, Event, Outcome, Standing, Status

FIRST = Event("e1", "ann", SOLO, 500, 10)

CASES = [
    ("the same event again", Event("e1", "ann", SOLO, 500, 10), "duplicate"),
    ("the id with another score", Event("e1", "ann", SOLO, 501, 10), "conflict"),
    ("the id with another sequence", Event("e1", "ann", SOLO, 500, 11), "conflict"),
    ("the id without a sequence", Event("e1", "ann", SOLO, 500), "conflict"),
    ("the id for another player", Event("e1", "bob", SOLO, 500, 10), "conflict"),
    ("the id on another board", Event("e1", "ann", DUO, 500, 10), "conflict"),
    ("an equal sequence under a new id", Event("e2", "ann", SOLO, 900, 10), "stale"),
    ("a lower sequence", Event("e2", "ann", SOLO, 400, 9), "stale"),
    ("a higher sequence with a lower score", Event("e2", "ann", SOLO, 400, 11), "applied"),
    ("no sequence at all", Event("e2", "ann", SOLO, 400), "applied"),
    ("another partition of the season", Event("e2", "ann", DUO, 900, 11), "other-partition"),
    ("another partition, stale as well", Event("e2", "ann", DUO, 900, 9), "other-partition"),
    ("another season's partition", Event("e2", "ann", NEXT_SEASON, 900, 1), "applied"),
    ("another player's lower sequence", Event("e2", "bob", DUO, 900, 1), "applied"),
]


@pytest.mark.parametrize(("event", "status"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
@pytest.mark.parametrize("compaction_changes", [1, 1_000])
def test_an_event_after_a_first_one(
    tmp_path: Path, event: Event, status: str, compaction_changes: int
) -> None:
    """Each kind of second event is judged as the rules say, compacted or not."""

    async def scenario() -> list[str]:
        async with opened(tmp_path / "ledger.db", compaction_changes=compaction_changes) as ledger:
            return await statuses(ledger, [FIRST, event])

    assert ["applied", status] == run(scenario())


def test_a_stale_event_stays_stale_and_its_id_free(tmp_path: Path) -> None:
    """A stale id is not stored: retried it is stale again, and a newer event may use it."""
    stale = Event("late", "ann", SOLO, 400, 9)
    newer = Event("late", "ann", SOLO, 600, 11)

    async def scenario() -> list[str]:
        async with opened(tmp_path / "ledger.db") as ledger:
            return await statuses(ledger, [FIRST, stale, stale, newer, stale])

    assert ["applied", "stale", "stale", "applied", "conflict"] == run(scenario())


def test_a_duplicate_of_an_old_event_changes_nothing(tmp_path: Path) -> None:
    """The id is looked at before the sequence, however far the player has come since."""
    newer = Event("e2", "ann", SOLO, 700, 20)

    async def scenario() -> tuple[list[str], dict[str, Standing]]:
        async with opened(tmp_path / "ledger.db") as ledger:
            answers = await statuses(ledger, [FIRST, newer, FIRST])
            return answers, await ledger.standings("s1", ["ann", "nobody"])

    assert (
        ["applied", "applied", "duplicate"],
        {"ann": Standing("s1", SOLO.name, "ann", 700, 20, 2)},
    ) == run(scenario())


def test_an_event_without_sequence_keeps_the_last_one(tmp_path: Path) -> None:
    """Arrival order decides, and a sequence that was passed stays passed."""
    events = [FIRST, Event("e2", "ann", SOLO, 400), Event("e3", "ann", SOLO, 900, 10)]

    async def scenario() -> tuple[list[str], dict[str, Standing]]:
        async with opened(tmp_path / "ledger.db") as ledger:
            return await statuses(ledger, events), await ledger.standings("s1", ["ann"])

    answers, standings = run(scenario())

    assert ["applied", "applied", "stale"] == answers
    assert Standing("s1", SOLO.name, "ann", 400, 10, 2) == standings["ann"]


def test_a_batch_says_by_index_what_did_not_apply(tmp_path: Path) -> None:
    """A batch is judged in its own order, repeats inside it included."""
    batch = Batch(
        DUO,
        ["b0", "b1", "b0", "b1", "b2", "b3", "b4"],
        ["cas", "dan", "cas", "dan", "dan", "ann", "cas"],
        [1, 2, 1, 3, 4, 5, 6],
        [5, 5, 5, 5, 4, 50, 6],
    )

    async def scenario() -> BatchOutcome:
        async with opened(tmp_path / "ledger.db") as ledger:
            await ledger.submit(FIRST)
            return await ledger.submit_batch(batch)

    outcome = run(scenario())

    assert BatchOutcome(range(2, 5), [2], [3], [5], [4]) == outcome
    assert [0, 1, 6] == outcome.applied()


def test_versions_are_change_numbers(tmp_path: Path) -> None:
    """Every applied event gets the next number, and that is its player's version."""

    async def scenario() -> list[Outcome]:
        async with opened(tmp_path / "ledger.db") as ledger:
            events = [FIRST, FIRST, Event("e2", "bob", DUO, 1), Event("e3", "ann", SOLO, 1)]
            return [await ledger.submit(event) for event in events]

    assert [
        Outcome(Status.APPLIED, 1),
        Outcome(Status.DUPLICATE),
        Outcome(Status.APPLIED, 2),
        Outcome(Status.APPLIED, 3),
    ] == run(scenario())


@pytest.mark.parametrize(
    ("event_ids", "sequences", "sentence"),
    [
        (["a"], [1, 2], "same length"),
        ([], [], "1 to 5,000 events, not 0"),
        (["a"] * 5_001, None, "1 to 5,000 events, not 5,001"),
    ],
)
def test_a_malformed_batch_is_refused(
    event_ids: list[str], sequences: list[int | None] | None, sentence: str
) -> None:
    """A batch of unequal columns or of a size out of bounds cannot be made."""
    with pytest.raises(ValueError, match=sentence):
        Batch(SOLO, event_ids, event_ids, [1] * len(event_ids), sequences)
