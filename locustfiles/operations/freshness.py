"""What a ranked answer says of its own freshness."""

from typing import Protocol


class Ranked(Protocol):
    """An answer from boards that may be behind what was accepted."""

    recovering: bool


def freshness(answer: Ranked) -> str | None:
    """The status `recovering` for an answer that may be behind, and none for one that is not."""
    return "recovering" if answer.recovering else None
