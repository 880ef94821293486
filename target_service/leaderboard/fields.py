"""The rules of single fields, each as a check that returns a sentence, or None when all is well.

The hot routes need most of these only after the fast decoder refused, to name every problem.
"""

import re
import unicodedata
from collections.abc import Callable

from target_service.leaderboard.rules import (
    ID_CHARACTERS,
    ID_PATTERN,
    ID_RULE,
    NAME_PATTERN,
    NAME_RULE,
    SCORE_LIMIT,
    SEQUENCE_LIMIT,
)

Check = Callable[[object], str | None]

_WELL_FORMED_ID = re.compile(ID_PATTERN).fullmatch
_WELL_FORMED_NAME = re.compile(NAME_PATTERN).fullmatch


def normalised(text: str) -> str:
    """Return the id in Unicode NFC, in which all ids are compared and stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_id(text: str) -> bool:
    """Tell whether the normalised text is a well-formed id."""
    return _WELL_FORMED_ID(text) is not None


def is_name(text: str) -> bool:
    """Tell whether the text is a well-formed name."""
    return _WELL_FORMED_NAME(text) is not None


def are_ids(texts: list[str]) -> bool:
    """Tell whether all of the normalised texts are well-formed ids, looking at all at once."""
    joined = "".join(texts)
    if joined.isascii() and joined.isprintable() and "/" not in joined:
        lengths = set(map(len, texts))
        return min(lengths) >= 1 and max(lengths) <= ID_CHARACTERS
    return all(map(is_id, texts))


def check_id(value: object) -> str | None:
    """Say what is wrong with a player or event id."""
    return None if isinstance(value, str) and is_id(normalised(value)) else ID_RULE


def check_name(value: object) -> str | None:
    """Say what is wrong with the name of a region, mode or season."""
    return None if isinstance(value, str) and is_name(value) else NAME_RULE


def whole_number(low: int, high: int) -> Check:
    """Return the check of a JSON integer in a range that includes both ends."""
    rule = f"must be an integer from {low} to {high}"

    def check(value: object) -> str | None:
        # A boolean is an integer to isinstance, and to nobody else.
        return None if type(value) is int and low <= value <= high else rule

    return check


check_score = whole_number(-SCORE_LIMIT, SCORE_LIMIT)
check_sequence = whole_number(1, SEQUENCE_LIMIT)
