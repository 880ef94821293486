"""Why the lab can end early.

LabError
├── UsageError        something asked for cannot be done as asked (exit 2)
│   ├── DockerUnavailable  no docker, no engine, or no answer
│   └── CannotWrite        a file or a folder of the checkout cannot be written
├── PartFailed        a process of the stack did not start, or died (exit 3)
└── Interrupted       somebody wants the lab to stop (exit 3)
"""

from pathlib import Path

from lab.addresses import shown


class LabError(Exception):
    """Ends the command; its text is the sentence the user reads, which may hold foreign words."""

    exit_code = 3

    def __init__(self, sentence: str = "") -> None:
        super().__init__(shown(sentence))


class UsageError(LabError):
    """The request itself is wrong; each problem names its variable and the fix."""

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(map(shown, problems))
        super().__init__("\n".join(problems))


class DockerUnavailable(UsageError):
    """docker is not there, its engine does not run, or it refused to answer."""


class CannotWrite(UsageError):
    """A full disk, a folder that is read-only, or something else in the place of a file."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{path} cannot be written: {error.strerror}. "
            "Make room there, or the folder writable, and run again."
        )


class PartFailed(LabError):
    """A process of the stack did not become ready, or ended by itself."""


class Interrupted(LabError):
    """A signal arrived, or the make that started the lab is gone."""
