"""A scenario's own operations: beside the modelled mix, or instead of it."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from workload.assumptions import InvalidWorkload
from workload.scenario import load_scenario

HEAD = 'name = "own"\ndescription = "Operations of its own."\n'
Write = Callable[[str], Path]


def _refused(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(InvalidWorkload) as caught:
        load_scenario(path, overrides)
    return list(caught.value.problems)


def test_the_modelled_mix_has_the_rates_of_the_model(write_scenario: Write) -> None:
    """A scenario that says nothing of operations sends the three of the model."""
    scenario = load_scenario(write_scenario(HEAD))

    assert {"submit": 240, "top": 25, "around": 75} == scenario.rates(0.001)


def test_an_own_operation_stands_beside_the_mix(write_scenario: Write) -> None:
    """Its rate is of scale 1, as the model's are, and an override may give it."""
    path = write_scenario(HEAD)
    rates = load_scenario(path, ["rank_exact=7", "rank_bounded=0"]).rates(Fraction(1, 3))

    assert ["submit", "top", "around", "rank_exact"] == list(rates)
    assert Fraction(7, 3) == rates["rank_exact"]


def test_without_the_mix_only_own_operations_are_sent(write_scenario: Write) -> None:
    """The rates of the model are left out, and a modelled operation may have a rate by hand."""
    text = HEAD + "modelled_mix = false\n[operations]\ntop = 20\nrank_exact = 0.3\n"

    assert {"top": 2, "rank_exact": Fraction(3, 100)} == (
        load_scenario(write_scenario(text)).rates(0.1)
    )


def test_a_modelled_rate_is_not_given_twice(write_scenario: Write) -> None:
    """The assumptions already say how much of it there is."""
    assert [
        (
            "submit has its rate from the traffic model; change the assumptions, or say "
            "modelled_mix = false to give the rates yourself."
        )
    ] == _refused(write_scenario(HEAD), "submit=5")


def test_a_scenario_that_sends_nothing_is_refused(write_scenario: Write) -> None:
    """A run of no requests could only be invalid."""
    assert ["modelled_mix is false and no operation has a rate, so nothing would be sent."] == (
        _refused(write_scenario(HEAD + "modelled_mix = false\n"), "rank_exact=0")
    )


def test_each_wrong_value_is_named(write_scenario: Write) -> None:
    """Unknown operations, rates that are none, and a mix that is no yes or no."""
    text = HEAD + "modelled_mix = 1\n[operations]\nrank_exakt = 1\nrank_bounded = -1\n"

    assert [
        "own.toml: There is no name 'rank_exakt' in operations. Did you mean rank_exact?",
        "modelled_mix must be true or false; it is 1.",
        "rank_bounded must be a number from 0 up to 100,000,000; it is -1.",
    ] == [line.replace("small.toml", "own.toml") for line in _refused(write_scenario(text))]
