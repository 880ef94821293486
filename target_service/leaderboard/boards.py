"""The configured boards, the Redis key that serves each, and whether it may be behind."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, Protocol

from target_service.http.problems import UnknownBoard
from target_service.redis.commands import Reply
from target_service.settings import Settings

Mode = Literal["naive", "partitioned"]


class Layout(Protocol):
    """Places partitions on Redis keys."""

    def key(self, region: str, mode: str, season: str) -> str:
        """Return the Redis key that serves the partition."""


def global_board(season: str) -> str:
    """Return the name of the ranking over all partitions of a season."""
    return f"lb:global:all:{season}"


def partition_key(region: str, mode: str, season: str) -> str:
    """Return the partition's name."""
    return f"lb:{region}:{mode}:{season}"


class NaiveLayout:
    """Serves every partition of a season from that season's one key."""

    def key(self, region: str, mode: str, season: str) -> str:  # noqa: ARG002  (the protocol's)
        """Return the season's global key."""
        return global_board(season)


class PartitionedLayout:
    """Serves every partition from the key that bears its name."""

    def key(self, region: str, mode: str, season: str) -> str:
        """Return the partition's own key."""
        return partition_key(region, mode, season)


class Freshness(Protocol):
    """Knows which boards are behind or gone."""

    def check(self, key: str, mark: Reply, *, is_empty: bool) -> bool:
        """Tell whether the board may be behind; raises BoardUnavailable when it is gone.

        `mark` was read in the same round trip as the board, of which nothing was found if
        `is_empty`.
        """

    async def confirm(self, key: str) -> None:
        """Raise BoardUnavailable unless what the board does not hold does not exist."""

    async def require_whole(self, keys: Collection[str]) -> None:
        """Raise BoardUnavailable unless these boards are whole."""


class AlwaysFresh:
    """The freshness of boards that are themselves the truth; they carry no marks."""

    def check(self, key: str, mark: Reply, *, is_empty: bool) -> bool:  # noqa: ARG002  (the protocol's)
        """Tell that it is not."""
        return False

    async def confirm(self, key: str) -> None:
        """Confirm it."""

    async def require_whole(self, keys: Collection[str]) -> None:
        """Accept every board."""


def any_behind(
    freshness: Freshness, keys: Sequence[str], marks: Sequence[Reply], empty: Iterable[bool]
) -> bool:
    """Tell whether one of the boards may be behind; raises when any of them is gone.

    Boards that carry no marks come with none.
    """
    behind = [
        freshness.check(key, mark, is_empty=is_empty)
        for key, mark, is_empty in zip(keys, marks or [None] * len(keys), empty, strict=True)
    ]
    return any(behind)


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
