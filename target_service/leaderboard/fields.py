"""The rules of single fields, each as a check that returns a sentence, or None when all is well.

The hot routes use these only after the fast decoder refused, to name every problem at once.
"""

import re
import unicodedata
from collections.abc import Callable

from target_service.leaderboard.messages import ID_CHARACTERS, SCORE_LIMIT

Check = Callable[[object], str | None]

NAME_RULE = "must be 1 to 32 of the characters a-z, 0-9 and -"
ID_RULE = (
    f"must be a string of 1 to {ID_CHARACTERS} characters (after NFC normalisation), "
    "without control characters and '/'"
)
# Control characters are Unicode category Cc; a lone surrogate is no character at all.
_WELL_FORMED_ID = re.compile(r"[^\x00-\x1f\x7f-\x9f/\ud800-\udfff]{1,64}").fullmatch
_WELL_FORMED_NAME = re.compile(r"[a-z0-9-]{1,32}").fullmatch


def normalised(text: str) -> str:
    """Return the id in Unicode NFC, in which all ids are compared and stored."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_id(text: str) -> bool:
    """Tell whether the normalised text is a well-formed id."""
    return _WELL_FORMED_ID(text) is not None


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
    return None if isinstance(value, str) and _WELL_FORMED_NAME(value) else NAME_RULE


def whole_number(low: int, high: int) -> Check:
    """Return the check of a JSON integer in a range that includes both ends."""
    rule = f"must be an integer from {low} to {high}"

    def check(value: object) -> str | None:
        if type(value) is not int:  # a boolean is an int to isinstance
            return rule
        return None if low <= value <= high else rule

    return check


check_score = whole_number(-SCORE_LIMIT, SCORE_LIMIT)
check_sequence = whole_number(1, SCORE_LIMIT)
