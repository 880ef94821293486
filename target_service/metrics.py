"""The service's own measurements, as Prometheus series with a closed set of labels."""

import os
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

from target_service.exposition import OwnSeries, SharedSeries
from target_service.settings import MULTIPROCESS_VARIABLE

HTTP_BUCKETS_SECONDS = (
    *(0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025),
    *(0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5),
)
KEY_BUCKETS_SECONDS = (
    *(0.0001, 0.0002, 0.0003, 0.0005, 0.00075, 0.001, 0.002),
    *(0.005, 0.01, 0.025, 0.1, 0.5, 2.5),
)
LEDGER_BUCKETS_SECONDS = (
    *(0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.025),
    *(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
# One value for all workers: a gauge must not carry the number of the process that set it.
ONE_FOR_ALL: Final = "mostrecent"


class KeySeries:
    """What happens to the board keys."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.ops = Counter(
            "leaderboard_key_ops_total",
            "Redis commands that touched a board key; a script is one.",
            ("key", "op"),
            registry=registry,
        )
        self.op_duration = Histogram(
            "leaderboard_key_op_duration_seconds",
            "From writing a pipeline to reading the command's reply; a pipeline's commands "
            "share its time.",
            ("key", "op"),
            buckets=KEY_BUCKETS_SECONDS,
            registry=registry,
        )
        self.members_written = Counter(
            "leaderboard_key_members_written_total",
            "Members written to a board key.",
            ("key",),
            registry=registry,
        )
        self.board_members = Gauge(
            "leaderboard_board_members",
            "Members of a board key; NaN when it could not be measured.",
            ("key",),
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )


class CommandSeries:
    """What becomes of the board commands sent to Redis."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.answered = Counter(
            "leaderboard_redis_commands_total",
            "Board commands that Redis ran and answered, those inside scripts included.",
            ("command",),
            registry=registry,
        )
        self.unknown = Counter(
            "leaderboard_redis_unknown_total",
            "Board commands sent that may have run or not: without an answer, or with an error.",
            ("command",),
            registry=registry,
        )
        self.pipeline_seconds = Counter(
            "leaderboard_redis_pipeline_seconds_total",
            "What pipelines to Redis took, each counted once, whatever it carried.",
            registry=registry,
        )


class ServiceSeries:
    """What the service does for its clients, and what it is."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.request_duration = Histogram(
            "leaderboard_http_request_duration_seconds",
            "From the request's head to the end of its answer.",
            ("route", "method", "code"),
            buckets=HTTP_BUCKETS_SECONDS,
            registry=registry,
        )
        self.writes = Counter(
            "leaderboard_writes_total",
            "Score events by what became of them.",
            ("status",),
            registry=registry,
        )
        self.rank_rejected = Counter(
            "leaderboard_rank_rejected_total",
            "Exact ranks refused because too many were asked for.",
            registry=registry,
        )
        self.partitions = Gauge(
            "leaderboard_partitions",
            "Keys that should share the load, whatever the mode.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )
        self.info = Gauge(
            "leaderboard_info",
            "Always 1; what this service is.",
            ("mode", "ledger", "version"),
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )


class LedgerSeries:
    """What happens between the ledger and the boards; not there without a ledger."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.commit_duration = Histogram(
            "leaderboard_ledger_commit_duration_seconds",
            "From taking a group of events to having it on disk.",
            buckets=LEDGER_BUCKETS_SECONDS,
            registry=registry,
        )
        self.backlog = Gauge(
            "leaderboard_projection_backlog",
            "Accepted changes that Redis should have by now and is not known to have.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )
        self.replayed = Counter(
            "leaderboard_projection_replayed_total",
            "Changes that reached Redis later than their own request.",
            registry=registry,
        )
        self.unready = Gauge(
            "leaderboard_projection_unready_boards",
            "Boards that Redis has lost, has not got back yet, or refuses to take.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )
        self.oldest = Gauge(
            "leaderboard_projection_oldest_timestamp_seconds",
            "When the oldest change of the backlog was accepted; 0 when there is none.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )


class TopSeries:
    """How fresh the materialised top is; not there while the top is live."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.as_of = Gauge(
            "leaderboard_topk_as_of_timestamp_seconds",
            "When the earliest partition of the materialised top was read; of the oldest season's.",
            multiprocess_mode=ONE_FOR_ALL,
            registry=registry,
        )


class Metrics:
    """Every series of the service; callers keep the labelled children they use often."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library leaves it bare
        self.registry = CollectorRegistry()
        self.keys = KeySeries(self.registry)
        self.commands = CommandSeries(self.registry)
        self.service = ServiceSeries(self.registry)
        shared = os.environ.get(MULTIPROCESS_VARIABLE)
        self._series = SharedSeries(Path(shared)) if shared else OwnSeries(self.registry)

    def exposition(self) -> bytes:
        """Return the text Prometheus scrapes: of all workers when they share a directory."""
        return self._series.text().encode()
