"""Why a run can end without its numbers, and what decoding a stranger's body may raise."""

from typing import Final

import msgspec

COMPLETE: Final = 0
USAGE: Final = 2
INCOMPLETE: Final = 3


_MOST_CHARACTERS: Final = 2_000


def readable(text: str) -> str:
    """A text of somebody else's without what a terminal would obey, and not longer than a page."""
    text = text[:_MOST_CHARACTERS]
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


class HarnessError(Exception):
    """Ends the run; its text is the sentence the user reads, which may hold foreign words."""


class BadInput(HarnessError):
    """The request itself is wrong; every problem names the input and the fix."""

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(map(readable, problems))
        super().__init__("\n".join(self.problems))


class RunCutShort(HarnessError):
    """The run ends before its measurement is whole; `ended` is the word in measurements.json."""

    def __init__(self, ended: str, reason: str) -> None:
        self.ended = ended
        super().__init__(readable(reason))


UNREADABLE: Final = (msgspec.MsgspecError, RecursionError)
