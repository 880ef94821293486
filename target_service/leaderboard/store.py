"""What every operation needs: the boards, their commands, and the pipeline to Redis."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from target_service.leaderboard.boards import Boards
from target_service.leaderboard.freshness import Freshness
from target_service.leaderboard.key_commands import KeyCommands
from target_service.redis_wire.command import Command
from target_service.redis_wire.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Store:
    """The configured boards on one Redis server.

    `board_marks` has, where boards carry marks, the command that reads each board's: its epoch, the
    members written in it, and the epoch that is complete.
    """

    boards: Boards
    commands: Mapping[str, KeyCommands]
    pipeline: Pipeline
    freshness: Freshness
    board_marks: Mapping[str, Command] = field(default_factory=dict)

    def marks(self, *keys: str) -> list[Command]:
        """Return the commands that read the marks of these boards; none where there are none."""
        return [self.board_marks[key] for key in keys] if self.board_marks else []

    def deadline(self) -> float:
        """Return the loop time by which a request that starts now has its answers from Redis."""
        return self.pipeline.deadline()
