"""The user classes; each instance replays one operation's slice of the schedule."""

from typing import ClassVar

from locust import User, task
from locust.exception import StopUser

from locustfiles.run.worker import Generator


class OpenLoopUser(User):
    """Sends for all players of a slice; the schedule says which player is due when."""

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


class RankReader(OpenLoopUser):
    """Reads one player's rank among all."""

    abstract = True


class ExactRankReader(RankReader):
    """Reads ranks that are counted at the time."""

    operation = "rank_exact"


class BoundedRankReader(RankReader):
    """Reads ranks that say how far off they may be."""

    operation = "rank_bounded"


class EventPoller(OpenLoopUser):
    """Polls the community total, as the newest build does."""

    operation = "event_v2"


class OldEventPoller(OpenLoopUser):
    """Polls the community total as a build from before the second version does."""

    operation = "event_v1"


class EventPlayerReader(OpenLoopUser):
    """Reads what one player has contributed."""

    operation = "event_player"


class Racer(OpenLoopUser):
    """Delivers completed races."""

    operation = "races"


class CounterWriter(OpenLoopUser):
    """Counts beacons and conversions of members."""

    operation = "count"


class AchievementsReader(OpenLoopUser):
    """Reads where a member stands."""

    operation = "achievements"


class ColleaguesReader(OpenLoopUser):
    """Reads the members of an organisation by points."""

    operation = "colleagues"
