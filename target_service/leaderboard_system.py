"""The leaderboard as one system: boards, their ledger or none, ranks and tops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from target_service.bounded_rank.bounded_rank import BoundedRank
from target_service.durability import Durability
from target_service.global_top.read_top import ReadMaterialisedTop
from target_service.global_top.tops import make_tops
from target_service.leaderboard.around import ReadAround
from target_service.leaderboard.boards import Boards
from target_service.leaderboard.exact_rank import ExactRank
from target_service.leaderboard.freshness import AlwaysFresh
from target_service.leaderboard.key_commands import KeyCommands
from target_service.leaderboard.partition_top import ReadPartitionTop
from target_service.leaderboard.rank import RankSource, ReadRank
from target_service.leaderboard.rank_limit import RankLimit
from target_service.leaderboard.store import Store
from target_service.leaderboard.submit import Submit
from target_service.leaderboard.submit_batch import SubmitBatch
from target_service.leaderboard.top import ReadTop
from target_service.leaderboard.writer import ProjectionWriter, Writer
from target_service.ledger.sqlite import SqliteLedger
from target_service.member_counts import MemberCounts
from target_service.metrics import Metrics
from target_service.part import Job, Part, System
from target_service.projection.disowning import disown
from target_service.projection.ledger_writer import LedgerWriter
from target_service.redis_wire.pipeline import Pipeline
from target_service.settings import Settings


@dataclass(frozen=True)
class Leaderboard:
    """The leaderboard put together; `ledger` is None in a service without one."""

    store: Store
    ledger: SqliteLedger | None
    system: System


def make_leaderboard(settings: Settings, pipeline: Pipeline, metrics: Metrics) -> Leaderboard:
    """Return the leaderboard that the settings describe."""
    boards = Boards(settings)
    metrics.service.partitions.set(len(boards.of()))
    counts = MemberCounts(boards, pipeline, metrics)
    commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}
    if settings.ledger == "none":
        store = Store(boards, boards.by_path(), commands, pipeline, AlwaysFresh())
        jobs = (counts.keep, partial(disown, pipeline, boards.keys_of()))
        system = _system(settings, metrics, store, ProjectionWriter(store, metrics), None)
        return Leaderboard(store, None, system.beside((), jobs))
    durability = Durability(settings, boards, pipeline, metrics)
    marks = durability.board_marks
    store = Store(boards, boards.by_path(), commands, pipeline, durability.freshness, marks)
    ledger = durability.ledger
    writer = LedgerWriter(store, ledger, durability.projection, metrics)
    system = _system(settings, metrics, store, writer, ledger)
    return Leaderboard(store, ledger, system.beside((durability,), (counts.keep,)))


def _system(
    settings: Settings,
    metrics: Metrics,
    store: Store,
    writer: Writer,
    ledger: SqliteLedger | None,
) -> System:
    """Return what answers the operations, and what the reads need beside the boards."""
    ranks, jobs = _ranks(settings, store, metrics, ledger)
    parts: Sequence[Part] = ()
    read_top: ReadTop | ReadMaterialisedTop = ReadTop(store)
    if settings.top == "materialised":
        tops = make_tops(settings, store, metrics)
        read_top, parts, jobs = ReadMaterialisedTop(store.boards, tops), (tops,), (*jobs, tops.keep)
    handlers = (
        Submit(store, writer),
        SubmitBatch(store, writer),
        read_top,
        ReadPartitionTop(store),
        ReadAround(store),
        ReadRank(store, ranks),
    )
    return System(handlers, parts, jobs)


def _ranks(
    settings: Settings, store: Store, metrics: Metrics, ledger: SqliteLedger | None
) -> tuple[Mapping[str, RankSource], Sequence[Job]]:
    """Return the ways to find a rank, and what must run for them."""
    rejected = metrics.service.rank_rejected.inc
    limit = RankLimit(settings.rank_limit / settings.workers, on_rejection=rejected)
    exact = ExactRank(store, limit)
    if ledger is None:
        return {"exact": exact}, ()
    bounded = BoundedRank(store, ledger)
    return {"exact": exact, "bounded": bounded}, bounded.jobs
