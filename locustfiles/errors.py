"""Why a run can end without its numbers.

HarnessError
├── BadInput          something asked for cannot be done as asked (exit 2)
└── RunCutShort       the measurement cannot go on (exit 3)
"""

from typing import Final

COMPLETE: Final = 0
USAGE: Final = 2
INCOMPLETE: Final = 3


class HarnessError(Exception):
    """Ends the run; its text is the sentence the user reads."""


class BadInput(HarnessError):
    """The request itself is wrong; every problem names the input and the fix."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class RunCutShort(HarnessError):
    """The run ends before its measurement is whole; `ended` is the word in measurements.json."""

    def __init__(self, ended: str, reason: str) -> None:
        self.ended = ended
        super().__init__(reason)
