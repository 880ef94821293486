"""GET /v1/top, answered from the worker's copy without asking Redis."""

from typing import ClassVar

from target_service.answers import JSON, Answer, answer
from target_service.call import Call
from target_service.global_top.tops import Tops
from target_service.leaderboard.boards import Boards
from target_service.leaderboard.layout import global_board
from target_service.leaderboard.messages import Top, encode
from target_service.leaderboard.top import ReadTop
from target_service.leaderboard.top_query import TopQuery
from target_service.moments import rfc3339
from target_service.operation import Operation
from target_service.problems import InvalidRequest, TopUnavailable, UnknownBoard


class ReadMaterialisedTop:
    """Answers with the first entries of the worker's copy, and the age of it."""

    operation: ClassVar = Operation(
        name=ReadTop.operation.name,
        method=ReadTop.operation.method,
        path=ReadTop.operation.path,
        summary=ReadTop.operation.summary,
        parameters=ReadTop.operation.parameters,
        answer=Top,
        problems=(UnknownBoard, InvalidRequest, TopUnavailable),
    )

    def __init__(self, boards: Boards, tops: Tops) -> None:
        self._query = TopQuery(boards)
        self._tops = tops

    async def __call__(self, call: Call) -> Answer:
        """Answer from the copy, however old it is."""
        k, season, _ = self._query.read(call.query)
        made = await self._tops.current(season)
        if made is None:
            raise TopUnavailable(season)
        top = Top(
            board=global_board(season),
            season=season,
            k=k,
            entries=made.entries[:k],
            as_of=rfc3339(made.as_of_us // 1_000),
            source="materialised",
            candidates=made.candidates,
            recovering=made.recovering,
        )
        age_seconds = made.age_seconds()
        # An age that nobody can tell is none, and not zero.
        age = () if age_seconds is None else ((b"age", str(int(age_seconds)).encode()),)
        return answer(encode(top), 200, JSON, age)
