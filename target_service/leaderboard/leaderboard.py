"""The leaderboard as one system: boards, their ledger or none, ranks and tops."""

import asyncio
import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from redis.exceptions import ResponseError

from target_service.leaderboard.boards import AlwaysFresh, Boards
from target_service.leaderboard.bounded_rank import BoundedRank
from target_service.leaderboard.key_commands import KeyCommands, Store
from target_service.leaderboard.materialised_top import make_tops
from target_service.leaderboard.players import RankSource, add_player_routes
from target_service.leaderboard.ranks import ExactRank, RankLimit
from target_service.leaderboard.scores import ProjectionWriter, Writer, add_score_routes
from target_service.leaderboard.tops import add_top_routes
from target_service.metrics import Metrics
from target_service.projection.durability import Durability
from target_service.projection.ledger_writer import LedgerWriter
from target_service.projection.projection import take_over
from target_service.redis.commands import Command, RedisUnavailable, Uncounted, pack
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings

if TYPE_CHECKING:
    from target_service.ledger.sqlite import SqliteLedger
    from target_service.part import Job, Part

INTERVAL_SECONDS = 5.0


class MemberCounts:
    """Sets leaderboard_board_members; its reads are upkeep and count as no hits."""

    def __init__(self, boards: Boards, pipeline: Pipeline, metrics: Metrics) -> None:
        self._pipeline = pipeline
        keys = boards.keys_of()
        self._gauges = [metrics.keys.board_members.labels(key) for key in keys]
        self._commands = [(Command(pack("ZCARD", key), Uncounted()),) for key in keys]

    async def keep(self) -> None:
        """Refresh for ever."""
        while True:
            await self.refresh()
            await asyncio.sleep(INTERVAL_SECONDS)

    async def refresh(self) -> None:
        """Ask once; what cannot be measured is no number."""
        answers = await asyncio.gather(
            *map(self._pipeline.run, self._commands), return_exceptions=True
        )
        for gauge, answer in zip(self._gauges, answers, strict=True):
            if isinstance(answer, RedisUnavailable | ResponseError):
                gauge.set(math.nan)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                gauge.set(answer.replies[0])


class Leaderboard:
    """The leaderboard that the settings describe; `ledger` is None in a service without one.

    `parts` are opened before the first request, `jobs` run while the service does.
    """

    def __init__(self, settings: Settings, pipeline: Pipeline, metrics: Metrics) -> None:
        boards = Boards(settings)
        metrics.service.partitions.set(len(boards.of()))
        counts = MemberCounts(boards, pipeline, metrics)
        commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}
        self.ledger: SqliteLedger | None = None
        self.parts: list[Part] = []
        self.jobs: list[Job] = [counts.keep]
        self._writer: Writer
        if settings.ledger == "none":
            self.store = Store(boards, commands, pipeline, AlwaysFresh())
            self._writer = ProjectionWriter(self.store, metrics)
            self.jobs.append(partial(take_over, pipeline, boards.keys_of()))
        else:
            durable = Durability(settings, boards, pipeline, metrics)
            self.store = Store(boards, commands, pipeline, durable.freshness, durable.board_marks)
            self.ledger = durable.ledger
            self._writer = LedgerWriter(self.store, self.ledger, durable.projection, metrics)
            self.parts.append(durable)
        self._ranks = self._rank_sources(settings, metrics)
        self._tops = None
        if settings.top == "materialised":
            self._tops = make_tops(settings, self.store, metrics)
            self.parts.append(self._tops)
            self.jobs.append(self._tops.keep)

    def add_routes(self, app: FastAPI) -> None:
        """Serve the writes, then the reads."""
        add_score_routes(app, self.store, self._writer)
        add_top_routes(app, self.store, self._tops)
        add_player_routes(app, self.store, self._ranks)

    def _rank_sources(self, settings: Settings, metrics: Metrics) -> Mapping[str, RankSource]:
        """Return the ways to find a rank, the default one first."""
        rejected = metrics.service.rank_rejected.inc
        limit = RankLimit(settings.rank_limit / settings.workers, on_rejection=rejected)
        exact = ExactRank(self.store, limit)
        if self.ledger is None:
            return {"exact": exact}
        bounded = BoundedRank(self.store, self.ledger)
        self.jobs += bounded.jobs
        return {"exact": exact, "bounded": bounded}
