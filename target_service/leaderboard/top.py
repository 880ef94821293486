"""GET /v1/top: the global top K, merged from the first K of every key of the season."""

from collections.abc import Iterable

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.fields import NAME_RULE
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.messages import K_RANGE, GlobalEntry, Top, encode
from target_service.leaderboard.rows import rows
from target_service.leaderboard.store import Store, global_board
from target_service.problems import FieldProblem, InvalidRequest, UnknownBoard
from target_service.query import PatternParameter
from target_service.redis_wire.command import Reply

SEASON = PatternParameter(r"[a-z0-9-]{1,32}", NAME_RULE)
K_QUERY = IntegerQuery("k", 10, K_RANGE, {"season": SEASON})


class GlobalTop:
    """Reads the first entries over all partitions.

    K candidates per partition suffice: who is below place K there has K players ahead already.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys = {
            season: [store.commands[key] for key in store.boards.keys_of(season)]
            for season in store.boards.seasons
        }
        self._only_season = store.boards.seasons[0] if len(store.boards.seasons) == 1 else None

    async def __call__(self, call: Call) -> Answer:
        """Answer with the merged entries."""
        k, problems, values = K_QUERY.read(call.query)
        season = values.get("season", self._only_season)
        if season is None and not problems:
            seasons = ", ".join(self._store.boards.seasons)
            problems = [FieldProblem("season", f"must be one of {seasons}: several are active")]
        if problems:
            raise InvalidRequest(problems)
        keys = self._keys.get(str(season))
        if keys is None:
            raise UnknownBoard(f"There is no season {season}; GET /v1/boards lists them.")
        replies, as_of = await self._store.pipeline.run([key.top(k) for key in keys])
        entries, candidates = merge(zip((key.key for key in keys), replies, strict=True), k)
        return answer(
            encode(
                Top(
                    board=global_board(str(season)),
                    season=str(season),
                    k=k,
                    entries=entries,
                    as_of=as_of,
                    source="live",
                    candidates=candidates,
                )
            )
        )


def merge(replies: Iterable[tuple[str, Reply]], k: int) -> tuple[list[GlobalEntry], int]:
    """Return the first k entries of all, and how many were looked at."""
    found = [(score, player, key) for key, reply in replies for player, score in rows(reply)]
    # Code points order as their UTF-8 bytes do, which is how Redis orders equal scores.
    found.sort(reverse=True)
    return [GlobalEntry(player, score, key) for score, player, key in found[:k]], len(found)
