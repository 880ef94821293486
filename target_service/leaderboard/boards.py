"""The configured boards."""

from dataclasses import dataclass
from itertools import product

from target_service.leaderboard.layout import Layout, Mode, partition_key
from target_service.leaderboard.naive import NaiveLayout
from target_service.leaderboard.partitioned import PartitionedLayout
from target_service.problems import UnknownBoard
from target_service.settings import Settings

BOARD_PATH = "/v1/boards/{region}/{mode}/{season}"


@dataclass(frozen=True, slots=True)
class Board:
    """One partition, and the Redis key that serves it."""

    partition: str
    season: str
    key: str


class Boards:
    """Every configured board, in product order with the region outermost."""

    def __init__(self, settings: Settings) -> None:
        layout = choose_layout(settings.mode)
        self.seasons = settings.seasons
        self._boards = {
            (region, mode, season): Board(
                partition_key(region, mode, season), season, layout.key(region, mode, season)
            )
            for region, mode, season in product(settings.regions, settings.modes, settings.seasons)
        }

    def find(self, region: str, mode: str, season: str) -> Board:
        """Return the board; raises UnknownBoard when it is not configured."""
        board = self._boards.get((region, mode, season))
        if board is None:
            raise UnknownBoard(
                f"There is no board of region {region}, mode {mode} and season {season}; "
                "GET /v1/boards lists them."
            )
        return board

    def of(self, season: str | None = None) -> tuple[Board, ...]:
        """Return the boards of one season, or of all."""
        return tuple(
            board for board in self._boards.values() if season is None or board.season == season
        )

    def keys_of(self, season: str | None = None) -> tuple[str, ...]:
        """Return the different Redis keys that serve one season, or all."""
        return tuple(dict.fromkeys(board.key for board in self.of(season)))


def choose_layout(mode: Mode) -> Layout:
    """Return the layout of the mode."""
    return NaiveLayout() if mode == "naive" else PartitionedLayout()
