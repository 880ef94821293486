"""The per-key hits, compared once with what the server really executed, with and without ledger."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from durable_service import Durable
from executed_commands import executed_by
from leaderboard_client import PARTITIONS, Leaderboard

READS = frozenset({"ZREVRANGE", "ZCOUNT", "EVALSHA"})
WRITES = frozenset({"ZADD"})
NUMBER_OF_KEYS, GUARDED_KEYS = 2, 3
COMMANDS = ("zadd", "zrevrange", "zrevrank", "zscore", "zcount", "evalsha")


@dataclass
class Hits:
    """What commands did to the keys of one database."""

    hits: Counter[tuple[str, str]] = field(default_factory=Counter)
    members: Counter[str] = field(default_factory=Counter)

    def count(self, words: Sequence[str]) -> None:
        """Count one command."""
        if words[0] in WRITES:
            self.hits[words[1], "write"] += 1
            self.members[words[1]] += (len(words) - 2) // 2
        elif words[0] == "EVALSHA" and int(words[NUMBER_OF_KEYS]) == GUARDED_KEYS:
            self.hits[words[3], "write"] += 1
            self.members[words[3]] += (len(words) - 3 - GUARDED_KEYS) // 3
        elif words[0] in READS:
            key = words[3] if words[0] == "EVALSHA" else words[1]
            self.hits[key, "read"] += 1


def _mixed_load(leaderboard: Leaderboard) -> None:
    for index in range(60):
        partition = PARTITIONS[index * 5 % 12]
        player = f"player-{index:05d}"
        leaderboard.submit(player, index * 7 % 20, partition)
        leaderboard.around(player, 1 + index % 3, partition)
        if index % 4 == 0:
            leaderboard.top(10)
            leaderboard.rank(player, partition)
            leaderboard.partition_top(5, partition)
            leaderboard.load({f"{player}-{n}": n for n in range(index)}, partition)


def _calls(leaderboard: Leaderboard, command: str) -> int:
    ran = leaderboard.redis.info("commandstats")
    return int(ran.get(f"cmdstat_{command}", {"calls": 0})["calls"])


def test_commands_for_lost_scripts_are_counted(leaderboard: Leaderboard) -> None:
    """Every board command, those inside scripts and those for a lost script included."""
    leaderboard.redis.script_flush()
    _check_statistics(leaderboard)


def test_commands_with_a_ledger_are_counted(durable: Durable) -> None:
    """Every board command, those inside the guard script included."""
    _check_statistics(durable.leaderboard)


def _check_statistics(leaderboard: Leaderboard) -> None:
    before, ran = leaderboard.samples(), {name: _calls(leaderboard, name) for name in COMMANDS}

    _mixed_load(leaderboard)

    after = leaderboard.samples()
    for name in COMMANDS:
        sample = ("leaderboard_redis_commands_total", name)
        assert _calls(leaderboard, name) - ran[name] == after[sample] - before[sample], name
        assert after["leaderboard_redis_unknown_total", name] == 0


def test_hits_equal_what_the_server_executed(leaderboard: Leaderboard) -> None:
    """Key by key, without a ledger."""
    _check_hits(leaderboard)


def test_hits_with_a_ledger_equal_what_the_server_executed(durable: Durable) -> None:
    """Key by key; a guarded write is one hit and as many members as it writes."""
    _check_hits(durable.leaderboard)


def _check_hits(leaderboard: Leaderboard) -> None:
    """Key by key, after a short mixed load under MONITOR, hits and members written agree.

    Lines that MONITOR marks as Lua are left out: a script is one hit, whatever runs inside it.
    So is the service's upkeep (ZCARD, INFO, SCRIPT LOAD), which counts as no hit.
    """
    before = leaderboard.samples()
    with executed_by(leaderboard.redis) as executed:
        _mixed_load(leaderboard)
    seen = Hits()
    database = leaderboard.redis.connection_pool.connection_kwargs["db"]
    for one in executed:
        if one["client_type"] != "lua" and one["db"] == database:
            seen.count(one["command"].split(" "))
    after = leaderboard.samples()

    told = {name: after[name] - before[name] for name in after if name in before}
    hits = {(n[1], n[2]): v for n, v in told.items() if n[0] == "leaderboard_key_ops_total" and v}
    members = {n[1]: v for n, v in told.items() if "members_written" in n[0] and v}
    assert dict(seen.hits) == hits
    assert dict(seen.members) == members
    assert {"read", "write"} == {op for _, op in hits}
