import json
from typing import Any

import msgspec
import pytest
from gevent_server import always, answer, serving
from stub_service import DESCRIPTION

from locustfiles.errors import BadInput
from locustfiles.run.target import Boards, disagreements, read_description
from workload.assumptions import Assumptions
from workload.load import LoadSettings

TOO_DEEP = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
REGIONS_DIFFER = (
    "The service has the regions eu; the model has na-east, na-west, eu, apac: "
    "configure the service alike, or change the model with --set regions=..."
)


def described(**changes: Any) -> Boards:  # noqa: ANN401  any part of a JSON document
    """A description with some parts changed."""
    return msgspec.json.decode(json.dumps(DESCRIPTION | changes).encode(), type=Boards)


def test_a_service_that_agrees() -> None:
    """The stub serves the default model."""
    assert [] == disagreements(described(), Assumptions(), LoadSettings())


@pytest.mark.parametrize(
    ("caption", "boards", "assumed", "expected"),
    [
        ("regions", described(regions=["eu"]), Assumptions(), REGIONS_DIFFER),
        ("modes", described(), Assumptions(modes=("solo",)), "The service has the modes"),
        ("seasons", described(), Assumptions(active_seasons=("s2",)), "--set active_seasons=..."),
        ("boards", described(boards={}), Assumptions(), "12 partitions with 0 boards"),
    ],
)  # fmt: skip
def test_a_service_of_another_model(
    caption: str, boards: Boards, assumed: Assumptions, expected: str
) -> None:
    """The sentence says what each side has and how to make them agree."""
    problems = disagreements(boards, assumed, LoadSettings())

    assert 1 == len(problems), caption
    assert expected in problems[0]


def test_every_disagreement_is_said() -> None:
    """Pages beyond the service's limits count too."""
    boards = described(
        regions=[],
        modes=[],
        limits=DESCRIPTION["limits"] | {"k": [1, 9], "window": [3, 4]},  # type: ignore[operator]
    )
    problems = disagreements(boards, Assumptions(), LoadSettings())

    assert 4 == len(problems)
    assert "The service takes a k of 1 to 9; the scenario asks for 10" in problems[2]


def test_keys_that_a_terminal_would_obey_are_refused() -> None:
    """Their names would stand in the panel, in tables and in the report."""
    boards = dict.fromkeys(described().boards, "lb:\x1b]0;mine\x07")

    (problem,) = disagreements(described(boards=boards), Assumptions(), LoadSettings())
    assert "The service names keys that cannot be printed." == problem


def test_foreign_words_reach_the_terminal_readable_and_bounded() -> None:
    """A service may call its regions what it likes."""
    found = disagreements(described(regions=["\x1b[2J" * 10_000]), Assumptions(), LoadSettings())
    (problem,) = BadInput(*found).problems

    assert problem.startswith("The service has the regions �[2J�[2J")
    assert 2_000 == len(problem)


def test_a_description_is_kept_in_the_services_own_words() -> None:
    """What we do not use goes into the record all the same."""
    words = DESCRIPTION | {"motto": "fast"}
    with serving(always(answer(json.dumps(words).encode()))) as (dialer, _):
        found = read_description(dialer)

    assert "naive" == found.boards.mode
    assert "fast" == found.verbatim["motto"]


@pytest.mark.parametrize(
    ("caption", "data", "expected"),
    [
        ("another service", answer(b"<html>"), "does not describe a leaderboard service"),
        ("too deep", answer(TOO_DEEP), "does not describe a leaderboard service"),
        ("half of it", answer(b'{"mode":"naive"}'), "does not describe a leaderboard service"),
        ("not found", answer(b"", "404 Not Found"), "answers 404"),
    ],
)
def test_what_is_no_leaderboard_service_is_bad_input(
    caption: str, data: bytes, expected: str
) -> None:
    """The sentence names the address that was asked."""
    with serving(always(data)) as (dialer, _), pytest.raises(BadInput) as caught:
        read_description(dialer)

    assert expected in str(caught.value), caption
    assert f"{dialer.address.url}/v1/boards" in str(caught.value)
