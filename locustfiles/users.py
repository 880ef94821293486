"""The three user classes; each instance replays one operation's slice of the schedule."""

from typing import ClassVar

from locust import User, task
from locust.exception import StopUser

from locustfiles.generator import Generator


class OpenLoopUser(User):
    """Not one player, but all players of a slice: the schedule says who is due when."""

    abstract = True
    operation: ClassVar[str]
    # Set once per process, as Locust itself sets `host` on its classes.
    generator: ClassVar[Generator]

    @task
    def replay(self) -> None:
        """Replay the schedule from the warm-up to the end of the drain."""
        self.generator.play(type(self).__name__, self.operation)
        raise StopUser


class ScoreWriter(OpenLoopUser):
    """Writes scores."""

    operation = "submit"


class TopKReader(OpenLoopUser):
    """Reads the best players."""

    operation = "top"


class AroundMeReader(OpenLoopUser):
    """Reads the players around one player."""

    operation = "around"
