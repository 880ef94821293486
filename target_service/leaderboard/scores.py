"""The write path: one player's new score, or many events of one board as columns."""

from typing import Annotated, Literal, NamedTuple, Protocol, Self, get_args

from fastapi import FastAPI
from pydantic import Field, model_validator
from pydantic.config import JsonDict

from target_service.http.answers import Answer, Count, Document, accepted, answer, encode
from target_service.http.fields import BATCH_EVENTS, Body, Id, Name, Score, Sequence, UnevenColumns
from target_service.http.problems import (
    OF_A_BODY,
    EventConflict,
    InvalidRequest,
    LedgerUnavailable,
    OtherPartition,
    ServiceUnavailable,
    UnknownBoard,
    refusals,
)
from target_service.leaderboard.boards import BOARD_PATH, Board
from target_service.leaderboard.key_commands import Store
from target_service.metrics import Metrics

Status = Literal["applied", "duplicate", "stale", "durable-only"]
BatchStatus = Literal["duplicate", "stale", "conflict"]

_COLUMN = Field(min_length=1, max_length=BATCH_EVENTS)
_LATER = "Stored in the ledger; the ranking follows"


def _has_no_default(schema: JsonDict) -> None:
    """Leave out of the documentation what stands for a field that is not given."""
    del schema["default"]


class ScoreEvent(Body):
    """One player's new score on one board; without a sequence, order of arrival decides."""

    event_id: Id
    player_id: Id
    region: Name
    mode: Name
    season: Name
    score: Score
    # 0, which no event carries, stands for none.
    sequence: Sequence = Field(default=0, json_schema_extra=_has_no_default)


class ScoreColumns(Body):
    """Events of one board as columns of equal length."""

    event_id: Annotated[list[Id], _COLUMN]
    player_id: Annotated[list[Id], _COLUMN]
    score: Annotated[list[Score], _COLUMN]
    # The empty column, which no batch carries, stands for none.
    sequence: Annotated[list[Sequence], _COLUMN] = Field(
        default=[], json_schema_extra=_has_no_default
    )

    @model_validator(mode="after")
    def _are_even(self) -> Self:
        lengths = {name: len(getattr(self, name)) for name in self.model_fields_set}
        if len(set(lengths.values())) > 1:
            raise UnevenColumns(lengths)
        return self


class Submitted(Document, frozen=True):
    """What became of the event."""

    status: Status


class BatchCounts(Document, frozen=True):
    """Events per status."""

    applied: Count
    duplicate: Count
    stale: Count
    conflict: Count


class NotApplied(Document, frozen=True):
    """Indexes of the events that did not apply."""

    duplicate: list[Count]
    stale: list[Count]
    conflict: list[Count]


class BatchSubmitted(Document, frozen=True):
    """What became of the events."""

    counts: BatchCounts
    not_applied: NotApplied


class WrittenBatch(NamedTuple):
    """Index and status of each event that did not apply, and whether the ranking has the others."""

    rest: list[tuple[int, BatchStatus]]
    is_projected: bool = True


class Writer(Protocol):
    """Takes valid events of known boards and says what became of them."""

    async def write(self, board: Board, event: ScoreEvent) -> Status:
        """Store one event."""

    async def write_many(self, board: Board, columns: ScoreColumns) -> WrittenBatch:
        """Store a batch in order."""


class ProjectionWriter:
    """Writes straight to the ranking in Redis, without a ledger: every event applies."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._applied = metrics.service.writes.labels("applied").inc

    async def write(self, board: Board, event: ScoreEvent) -> Status:
        """Set the player's score."""
        command = self._store.commands[board.key].write(event.player_id, event.score)
        await self._store.pipeline.run((command,))
        self._applied()
        return "applied"

    async def write_many(self, board: Board, columns: ScoreColumns) -> WrittenBatch:
        """Set the scores of all players at once."""
        command = self._store.commands[board.key].write_many(columns.player_id, columns.score)
        await self._store.pipeline.run((command,))
        self._applied(len(columns.player_id))
        return WrittenBatch([])


def add_score_routes(app: FastAPI, store: Store, writer: Writer) -> None:
    """Serve the writes."""
    answers = {
        status: answer(encode(Submitted(status)), 202 if status == "durable-only" else 200)
        for status in get_args(Status)
    }

    @app.post(
        "/v1/scores",
        name="submit",
        summary="Store one player's new score",
        response_model=Submitted,
        responses=accepted(_LATER, Submitted)
        | refusals(
            UnknownBoard,
            EventConflict,
            OtherPartition,
            *OF_A_BODY,
            InvalidRequest,
            ServiceUnavailable,
            LedgerUnavailable,
        ),
    )
    async def submit(event: ScoreEvent) -> Answer:
        board = store.boards.find(event.region, event.mode, event.season)
        return answers[await writer.write(board, event)]

    @app.post(
        BOARD_PATH + "/scores",
        name="submit_batch",
        summary="Store events of one board, as columns of equal length",
        response_model=BatchSubmitted,
        responses=accepted(_LATER, BatchSubmitted)
        | refusals(
            UnknownBoard,
            *OF_A_BODY,
            InvalidRequest,
            ServiceUnavailable,
            LedgerUnavailable,
        ),
    )
    async def submit_batch(region: Name, mode: Name, season: Name, columns: ScoreColumns) -> Answer:
        board = store.boards.find(region, mode, season)
        written = await writer.write_many(board, columns)
        indexes: dict[BatchStatus, list[int]] = {"duplicate": [], "stale": [], "conflict": []}
        for index, status in written.rest:
            indexes[status].append(index)
        counts = {status: len(where) for status, where in indexes.items()}
        applied = len(columns.player_id) - len(written.rest)
        body = BatchSubmitted(BatchCounts(applied=applied, **counts), NotApplied(**indexes))
        return answer(encode(body), 200 if written.is_projected else 202)
