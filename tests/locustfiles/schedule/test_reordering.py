"""Events sent again and events overtaken: the schedule's times stay, what they deliver changes."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from load_plans import PLAN

from locustfiles.schedule.arrival import Arrival, arrivals_of_second
from locustfiles.schedule.reordering import Reordering
from workload.load import LoadSettings

SECONDS = range(-1, 3)
shares = st.sampled_from((0.0, 0.05, 0.1, 0.5))


def _whole() -> list[Arrival]:
    schedule = PLAN.schedule("submit")
    return [one for second in SECONDS for one in arrivals_of_second(schedule, second, 1, 0)]


WHOLE = _whole()
EVENTS = {one.number: one for one in WHOLE}


def _delivered(load: LoadSettings) -> list[Arrival]:
    return list(Reordering(load).apply(WHOLE))


@settings(deadline=None, max_examples=16)
@given(shares, shares)
def test_offered_stays_what_the_model_says(resent: float, overtaken: float) -> None:
    """As many arrivals in each second, and in the order in which they are due."""
    delivered = _delivered(LoadSettings(resent_share=resent, overtaken_share=overtaken))
    seconds = [one.intended_us // 1_000_000 for one in delivered]

    assert [one.intended_us // 1_000_000 for one in WHOLE] == seconds
    if not (resent and overtaken):
        assert all(one.intended_us <= other.intended_us for one, other in pairwise(delivered))


def test_a_twentieth_is_sent_again_word_for_word() -> None:
    """The same event, player and score as one that was sent before, or together with it."""
    delivered = _delivered(LoadSettings(resent_share=0.05))
    first: dict[int, Arrival] = {}
    again = []
    for one in delivered:
        if one.number in first:
            again.append(one)
        first.setdefault(one.number, one)

    assert len(again) in range(len(WHOLE) // 20 - 1, len(WHOLE) // 20 + 1)
    for one in again:
        event = EVENTS[one.number]
        assert (event.player, event.score) == (one.player, one.score)
        assert one.in_order or one.intended_us == first[one.number].intended_us
    together = sum(not one.in_order for one in again)
    # The first arrival of a second has no earlier one in its second to go together with.
    assert len(again) // 2 - len(SECONDS) <= together <= len(again) // 2 + 1


def test_a_twentieth_is_overtaken_by_a_newer_event_of_its_player() -> None:
    """It comes after that event, or together with it, and is of the same player."""
    delivered = _delivered(LoadSettings(overtaken_share=0.05))
    late = [one for one in delivered if one.overtaken_by is not None]

    assert len(late) in range(len(WHOLE) // 20 - 1, len(WHOLE) // 20 + 1)
    for one in late:
        newer = EVENTS[one.overtaken_by or 0]
        assert newer.player == one.player
        assert newer.intended_us <= one.intended_us
        assert one.score == EVENTS[one.number].score
    assert len({one.number for one in delivered}) == len(WHOLE)


def test_no_reordering_is_the_default() -> None:
    """The arrivals are those of the schedule."""
    assert WHOLE == _delivered(LoadSettings())
    assert not LoadSettings().has_reordering


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_any_number_of_workers_delivers_the_same(share: float) -> None:
    """Every arrival belongs to the slice of the player it is about, once."""
    plan = replace(PLAN, load=LoadSettings(resent_share=share))
    delivered = _delivered(plan.load)
    slices = [[one for one in delivered if one.player % 3 == index] for index in range(3)]

    assert sorted(delivered) == sorted(one for some in slices for one in some)
    for some in slices:
        known = set()
        for one in some:
            assert one.number not in known or one.player == EVENTS[one.number].player
            known.add(one.number)
