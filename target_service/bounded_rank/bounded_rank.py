"""The global rank from this worker's counts, which costs Redis nothing."""

from target_service.bounded_rank.follower import Follower
from target_service.leaderboard.boards import Board
from target_service.leaderboard.ranks import Rank, unknown_player
from target_service.leaderboard.store import Store
from target_service.ledger.protocol import ScoreSource
from target_service.moments import rfc3339
from target_service.problems import LedgerUnavailable


class BoundedRank:
    """Tells the rank among the changes counted so far, and by how much it can be off.

    Each change moves one player past another's score at most. So the true rank at the moment the
    ledger was asked, which is during the call, differs by no more than the changes not counted.
    The player's own score is the ledger's of that moment.
    """

    def __init__(self, store: Store, source: ScoreSource) -> None:
        self._store = store
        boards = store.boards
        self._keys = {(one.season, one.partition): one.key for one in boards.of()}
        self._followers = {
            season: Follower(source, season, [one.partition for one in boards.of(season)])
            for season in boards.seasons
        }
        self.jobs = [follower.keep for follower in self._followers.values()]

    async def read(self, board: Board, player: str) -> Rank:
        """Return 1 + the players above, and how many there are in all."""
        try:
            told = await self._followers[board.season].ask(player, self._store.deadline())
        except TimeoutError:
            raise LedgerUnavailable(
                "The ledger took too long, or the players are still being counted."
            ) from None
        if told is None or self._keys.get((board.season, told.standing.board)) != board.key:
            raise unknown_player(player, board.key)
        return Rank(
            board=board.key,
            player=player,
            score=told.standing.score,
            rank=told.rank,
            keys_read=0,
            exact=told.not_counted == 0,
            max_rank_error=told.not_counted,
            as_of=rfc3339(told.as_of_ms),
            total=told.total,
        )
