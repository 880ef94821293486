"""POST /v1/scores: one player's new score."""

from typing import TYPE_CHECKING, ClassVar, get_args

import msgspec

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.events import ScoreEvent, Status
from target_service.leaderboard.explain import explain_event
from target_service.leaderboard.fields import check_name, is_id, normalised
from target_service.leaderboard.messages import Submitted, encode
from target_service.leaderboard.path import unknown_board
from target_service.leaderboard.store import Store
from target_service.leaderboard.writer import Writer
from target_service.operation import Operation
from target_service.problems import (
    BodyTooLarge,
    EventConflict,
    FieldProblem,
    InvalidRequest,
    LedgerUnavailable,
    OtherPartition,
    ServiceUnavailable,
    UnknownBoard,
)
from target_service.query import read_query

if TYPE_CHECKING:
    from collections.abc import Mapping

STATUSES: tuple[Status, ...] = get_args(Status)
_decode = msgspec.json.Decoder(ScoreEvent).decode


class Submit:
    """Stores one event."""

    operation: ClassVar = Operation(
        name="submit",
        method="POST",
        path="/v1/scores",
        summary="Store one player's new score",
        body=ScoreEvent,
        answer=Submitted,
        problems=(
            UnknownBoard,
            EventConflict,
            OtherPartition,
            BodyTooLarge,
            InvalidRequest,
            ServiceUnavailable,
            LedgerUnavailable,
        ),
        accepted="Stored in the ledger; the ranking follows",
    )

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer
        self._answers: Mapping[Status, Answer] = {
            status: answer(encode(Submitted(status)), 202 if status == "durable-only" else 200)
            for status in STATUSES
        }

    async def __call__(self, call: Call) -> Answer:
        """Answer with what became of the event."""
        body = await call.body()
        try:
            event = _decode(body)
        except (msgspec.DecodeError, RecursionError) as error:
            raise _refusal(call, body, str(error)) from error
        player = normalised(event.player_id)
        if call.query or not is_id(player) or not is_id(normalised(event.event_id)):
            raise _refusal(call, body)
        board = self._store.boards.find(event.region, event.mode, event.season)
        if board is None:
            names = (event.region, event.mode, event.season)
            raise _refusal(call, body) if any(map(check_name, names)) else unknown_board(*names)
        return self._answers[await self._writer.write(board, player, event)]


def _refusal(call: Call, body: bytes, otherwise: str = "is not valid") -> InvalidRequest:
    _, problems = read_query(call.query, {})
    problems += explain_event(body)
    return InvalidRequest(problems or [FieldProblem("body", otherwise)])
