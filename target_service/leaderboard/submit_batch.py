"""POST /v1/boards/{region}/{mode}/{season}/scores: many events of one board, as columns."""

from typing import ClassVar

import msgspec

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.events import BatchStatus, ScoreColumns
from target_service.leaderboard.explain import explain_columns
from target_service.leaderboard.fields import are_ids, normalised
from target_service.leaderboard.messages import BatchCounts, BatchSubmitted, NotApplied, encode
from target_service.leaderboard.path import BOARD, refuse
from target_service.leaderboard.store import Store
from target_service.leaderboard.writer import Writer
from target_service.operation import BOARD_PATH, Operation
from target_service.problems import (
    BodyTooLarge,
    FieldProblem,
    InvalidRequest,
    LedgerUnavailable,
    Problem,
    ServiceUnavailable,
    UnknownBoard,
)
from target_service.query import read_query

_decode = msgspec.json.Decoder(ScoreColumns).decode


class SubmitBatch:
    """Stores a batch of one board's events."""

    operation: ClassVar = Operation(
        name="submit_batch",
        method="POST",
        path=BOARD_PATH + "/scores",
        summary="Store events of one board, as columns of equal length",
        body=ScoreColumns,
        answer=BatchSubmitted,
        problems=(
            UnknownBoard,
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

    async def __call__(self, call: Call) -> Answer:
        """Answer with counts per status, and the indexes that did not apply."""
        sent = await call.body()
        try:
            columns = _decode(sent)
        except (msgspec.DecodeError, RecursionError) as error:
            raise _refusal(call, sent, str(error)) from error
        players = list(map(normalised, columns.player_id))
        if call.query or not _fit(players, columns):
            raise _refusal(call, sent)
        board = self._store.boards_by_path.get(call.segments[BOARD])
        if board is None:
            raise refuse(call.segments)
        written = await self._writer.write_many(board, players, columns)
        body = encode(_outcome(len(players), written.rest))
        return answer(body, 200 if written.is_projected else 202)


def _fit(players: list[str], columns: ScoreColumns) -> bool:
    lengths = {len(players), len(columns.event_id), len(columns.score)}
    if isinstance(columns.sequence, list):
        lengths.add(len(columns.sequence))
    events = list(map(normalised, columns.event_id))
    return len(lengths) == 1 and are_ids(players) and are_ids(events)


def _outcome(events: int, rest: list[tuple[int, BatchStatus]]) -> BatchSubmitted:
    indexes: dict[BatchStatus, list[int]] = {"duplicate": [], "stale": [], "conflict": []}
    for index, status in rest:
        indexes[status].append(index)
    counts = {status: len(where) for status, where in indexes.items()}
    return BatchSubmitted(BatchCounts(applied=events - len(rest), **counts), NotApplied(**indexes))


def _refusal(call: Call, body: bytes, otherwise: str = "is not valid") -> Problem:
    _, problems = read_query(call.query, {})
    problems += explain_columns(body)
    return refuse(call.segments, problems or [FieldProblem("body", otherwise)])
