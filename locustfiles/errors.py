"""Why a run can end without its numbers, and which errors decoding a foreign body may raise."""

from typing import Final

import msgspec

COMPLETE: Final = 0
USAGE: Final = 2
INCOMPLETE: Final = 3

# What decoding a body may raise.
UNREADABLE: Final = (msgspec.MsgspecError, RecursionError)
_MOST_CHARACTERS: Final = 2_000


def readable(text: str) -> str:
    """A foreign text without control characters, and not longer than a page."""
    text = text[:_MOST_CHARACTERS]
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


class HarnessError(Exception):
    """Ends the run; its text is the sentence that the user reads."""


class BadInput(HarnessError):
    """The input is wrong; every problem names what is wrong and the fix."""

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(map(readable, problems))
        super().__init__("\n".join(self.problems))


class RunCutShort(HarnessError):
    """The run ends before its measurement is whole; `ended` is the word in measurements.json."""

    def __init__(self, ended: str, reason: str) -> None:
        self.ended = ended
        super().__init__(readable(reason))
