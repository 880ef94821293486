"""What a request for a global top asks for."""

from collections.abc import Sequence
from typing import NamedTuple

from target_service.leaderboard.boards import Boards
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.rules import K_RANGE
from target_service.problems import FieldProblem, InvalidRequest, UnknownBoard
from target_service.query import IntegerParameter, SeasonParameter, Values

QUERY = IntegerQuery("k", IntegerParameter(*K_RANGE, default=10), season=SeasonParameter())


class Asked(NamedTuple):
    """How many entries, of which season, and the keys that serve it."""

    k: int
    season: str
    keys: Sequence[str]


class TopQuery:
    """Reads k and the season, which need not be named while only one is active."""

    def __init__(self, boards: Boards) -> None:
        self._seasons = boards.seasons
        self._only = boards.seasons[0] if len(boards.seasons) == 1 else None
        self._keys = {season: boards.keys_of(season) for season in boards.seasons}

    def read(self, query: bytes) -> Asked:
        """Return what is asked for; raises InvalidRequest or UnknownBoard."""
        k, values, problems = QUERY.read(query)
        season = self._season(values)
        if season is None:
            active = ", ".join(self._seasons)
            problems.append(FieldProblem("season", f"must be one of {active}: several are active"))
        if season is None or problems:
            raise InvalidRequest(problems)
        keys = self._keys.get(season)
        if keys is None:
            raise UnknownBoard(f"There is no season {season}; GET /v1/boards lists them.")
        return Asked(k, season, keys)

    def _season(self, values: Values) -> str | None:
        season = values.get("season", self._only)
        return None if season is None else str(season)
