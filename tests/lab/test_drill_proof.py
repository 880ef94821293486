"""Event by event: what was told, against what the ledger stored."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.audit.ledger_file import LedgerFile, StoredEvent
from lab.drills.proof import AcknowledgedEvents, Proof, acknowledged_events, prove, prove_run
from lab.drills.request_rows import Request
from lab.errors import PartFailed


def _stored(*events: tuple[str, str, int]) -> list[StoredEvent]:
    return [StoredEvent(name, "s1", player, sequence) for name, player, sequence in events]


def _told(events: Iterable[str]) -> AcknowledgedEvents:
    return AcknowledgedEvents(Counter(), Counter(), Counter(events))


def _proof(accepted: int, lost: int, applied_twice: int, gone_backwards: int) -> Proof:
    """The proof of a run that was told of its events in the measured phase only."""
    return Proof(accepted, lost, applied_twice, gone_backwards, 0, 0, accepted)


@pytest.mark.parametrize(
    ("caption", "told", "stored", "proof"),
    [
        ("all is well", ["a", "b"], [("a", "ann", 1), ("b", "ann", 2)], _proof(2, 0, 0, 0)),
        ("one is lost", ["a", "b"], [("a", "ann", 1)], _proof(2, 1, 0, 0)),
        ("one was told twice", ["a", "a"], [("a", "ann", 1)], _proof(1, 0, 1, 0)),
        ("an untold one is no loss", [], [("a", "ann", 1)], _proof(0, 0, 0, 0)),
        ("an older one after", ["a"], [("b", "ann", 2), ("a", "ann", 1)], _proof(1, 0, 0, 1)),
        ("the same one again", ["a"], [("a", "ann", 2), ("b", "ann", 2)], _proof(1, 0, 0, 1)),
        ("without a sequence", ["a"], [("a", "ann", 2), ("b", "ann", -2)], _proof(1, 0, 0, 0)),
        ("two players", ["a"], [("a", "ann", 2), ("b", "bob", 1)], _proof(1, 0, 0, 0)),
    ],
)
def test_each_event_is_accounted_for(
    caption: str, told: list[str], stored: list[tuple[str, str, int]], proof: Proof
) -> None:
    """Lost, twice and backwards are counted apart."""
    assert prove(_told(told), _stored(*stored)) == proof, caption


def test_the_seasons_of_a_player_are_independent() -> None:
    """A lower sequence in another season is nothing older."""
    stored = [StoredEvent("a", "s1", "ann", 9), StoredEvent("b", "s2", "ann", 1)]

    assert prove(_told([]), stored).gone_backwards == 0


@given(st.permutations(range(1, 7)), st.sets(st.sampled_from("abcdef")))
def test_the_proof_agrees_with_looking_at_every_pair(order: list[int], told: set[str]) -> None:
    """Whatever the order: an event is backwards when any earlier one has a higher sequence."""
    stored = _stored(*((name, "ann", number) for name, number in zip("abcdef", order, strict=True)))
    backwards = sum(any(before > now for before in order[:i]) for i, now in enumerate(order))

    assert prove(_told(told), stored[:4]) == _proof(
        accepted=len(told),
        lost=len(told & {"e", "f"}),
        applied_twice=0,
        gone_backwards=backwards
        - sum(any(before > order[i] for before in order[:i]) for i in (4, 5)),
    )


def test_only_accepted_writes_and_loaded_players_were_told() -> None:
    """Reads, stale events and failures promise nothing."""
    requests = [
        Request("submit", -3, "applied", 0.0, 0.1),
        Request("submit", 4, "durable-only", 0.0, 0.1),
        Request("submit", 4, "applied", 0.0, 0.2),
        Request("submit", 5, "stale", 0.0, 0.1),
        Request("submit", 6, "timeout", 0.0, 0.1),
        Request("top", 7, "ok", 0.0, 0.1),
    ]

    assert acknowledged_events("run", 2, requests) == (
        {"run-p0": 1, "run-p1": 1},
        {"run--3": 1},
        {"run-4": 2},
    )


def test_accepted_events_are_told_by_the_part_of_the_run() -> None:
    """The loaded players, the warm-up and the measured phase together are all of them."""
    told = AcknowledgedEvents(Counter("abc"), Counter("d"), Counter("eef"))

    assert prove(told, _stored(*((name, name, 1) for name in "abcdef"))) == Proof(
        accepted=6,
        lost=0,
        applied_twice=1,
        gone_backwards=0,
        accepted_loaded=3,
        accepted_warmup=1,
        accepted_measured=2,
    )


def test_the_proof_stands_in_the_audit() -> None:
    """A lost event and one told twice do not hold, with their numbers."""
    lines = [(one.left, one.right, one.held) for one in Proof(10, 1, 2, 0, 0, 0, 10).invariants()]

    assert lines == [(10, 9, False), (2, 0, False), (0, 0, True)]


def test_a_part_in_which_nothing_was_due_has_no_count() -> None:
    """A run stopped in its warm-up measured nothing, which is not the same as nought."""
    told = acknowledged_events("run", 2, [Request("submit", -3, "stale", 0.0, 0.1)])
    proof = prove(told, _stored(("run-p0", "a", 1), ("run-p1", "b", 1)))

    assert (told.warmup, told.measured) == (Counter(), None)
    assert (proof.accepted, proof.lost) == (2, 0)
    assert (proof.accepted_loaded, proof.accepted_warmup, proof.accepted_measured) == (2, 0, None)


def test_events_of_players_half_loaded_are_not_counted(tmp_path: Path) -> None:
    """Nobody knows which of them were accepted; the audit looks at those that were."""
    loading = {"players": 1_200_000, "ok": 5_000}
    (tmp_path / "measurements.json").write_text(json.dumps({"loading": loading}))

    with pytest.raises(PartFailed) as caught:
        prove_run(tmp_path, LedgerFile(tmp_path / "none.db", "naive"))

    assert str(caught.value) == (
        "the run ended while its players were loaded, 5,000 of 1,200,000 of them accepted"
    )
