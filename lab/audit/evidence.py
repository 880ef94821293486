"""What the service and the Redis server themselves counted, read from outside."""

from collections.abc import Mapping
from dataclasses import dataclass

import redis
from prometheus_client.parser import text_string_to_metric_families

from lab.audit.ledger_file import LedgerFile
from lab.errors import PartFailed
from lab.http_json import NoAnswer, fetch
from lab.stack.redis import connect
from lab.stack.stack import Processes, Stack

_OK = 200
# The commands that read or write boards; the service's own upkeep is none of them.
BOARD_COMMANDS = (
    "evalsha",
    "zadd",
    "zcount",
    "zrange",
    "zrevrange",
    "zrevrank",
    "zscore",
)
ACCEPTED = ("applied", "durable-only")


@dataclass(frozen=True)
class Counters:
    """One reading of both processes; counts are since each process began."""

    service_processes: Processes
    redis_run_id: str
    accepted_events: int
    answered: Mapping[str, int]
    unknown: Mapping[str, int]
    executed: Mapping[str, int]
    ledger_rows: int = 0
    # polls of a community event's total that the service answered from Redis, and the reads of
    # such totals that Redis executed: nothing else of the service sends HGETALL
    total_reads_counted: int = 0
    total_reads_executed: int = 0


def read_counters(stack: Stack, ledger: LedgerFile | None = None) -> Counters:
    """Read the service's /metrics and the server's commandstats.

    Raises:
        PartFailed: one of the two did not answer.
    """
    samples = read_metrics(stack.service_url)
    try:
        with connect(stack.redis_url) as client:
            run_id = str(client.info("server")["run_id"])
            stats = client.info("commandstats")
    except redis.RedisError as error:
        raise PartFailed(f"The Redis server did not answer the audit: {error}.") from error
    return Counters(
        service_processes=stack.service_processes(),
        redis_run_id=run_id,
        accepted_events=sum(
            int(samples.get("leaderboard_writes_total", {}).get(status, 0)) for status in ACCEPTED
        ),
        answered=_by_command(samples.get("leaderboard_redis_commands_total", {})),
        unknown=_by_command(samples.get("leaderboard_redis_unknown_total", {})),
        executed={
            command: int(stats.get(f"cmdstat_{command}", {}).get("calls", 0))
            for command in BOARD_COMMANDS
        },
        ledger_rows=ledger.rows() if ledger else 0,
        total_reads_counted=int(samples.get("odometer_reads_total", {}).get("redis", 0)),
        total_reads_executed=int(stats.get("cmdstat_hgetall", {}).get("calls", 0)),
    )


def _by_command(samples: Mapping[str, float]) -> dict[str, int]:
    return {command: int(samples.get(command, 0)) for command in BOARD_COMMANDS}


def read_metrics(service_url: str) -> dict[str, dict[str, float]]:
    """The service's samples by name and by the value of their first label.

    Raises:
        PartFailed: it did not answer.
    """
    try:
        answer = fetch(f"{service_url}/metrics")
        families = list(text_string_to_metric_families(answer.body.decode()))
    except (NoAnswer, ValueError) as error:
        raise PartFailed(f"The service did not answer the audit: {error}.") from error
    if answer.status != _OK:
        raise PartFailed(f"The service did not answer the audit: it answers {answer.status}.")
    samples: dict[str, dict[str, float]] = {}
    for family in families:
        for sample in family.samples:
            label = next(iter(sample.labels.values()), "")
            samples.setdefault(sample.name, {})[label] = sample.value
    return samples


def read_scores(redis_url: str, board: str, players: list[str]) -> list[int | None]:
    """The scores of players on one board, None where a player is missing."""
    with connect(redis_url) as client:
        return [
            None if score is None else int(float(score)) for score in client.zmscore(board, players)
        ]
