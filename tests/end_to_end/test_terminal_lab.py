"""`make lab`: the reports against the real service, and nothing left behind."""

import re
import signal
import time

from make_command import Checkout

MEASURED = re.compile(r"(writes/s: )[\d,]+$|(p\d\d: )\d+\.\d{3}(?= ms over HTTP$)")
REPORT = """\
Redis ping: True
Redis image: SERVER, as read from the server
redis-py version: CLIENT

12 MILLION PLAYER WORKLOAD MODEL
Scenario assumptions, not measured production traffic
Concurrent players: 12,000,000
Peak score-update assumption: 2.0% of players per second
Leaderboard-read assumption: 0.5 reads/player/minute
Peak score updates/s: 240,000
Leaderboard reads/s: 100,000
Top-K reads/s: 25,000
Around-me reads/s: 75,000
Active partitions: 12
Average players/active partition: 1,000,000
Hot-partition planning size: 2,000,000 players
Average projected updates/partition/s: 20,000
Hot projected updates/partition/s: 40,000

NAIVE GLOBAL LEADERBOARD
Players loaded: 12,000
Writes measured: 3,000
Unique write keys: 1
Hottest write-key share: 100.0%
Unique read keys: 1
Local measured writes/s: N
Write p50: N ms over HTTP
Write p95: N ms over HTTP
Read p50: N ms over HTTP
Read p95: N ms over HTTP
Projected peak writes sent to this one key: 240,000/s
Designed obstacle: PASS - one key receives every write
Local figures: this machine and a synthetic workload, LEDGER=none; not production capacity.
Without a ledger, because they are about what a key costs, not about a durable write.
Projected figures: from the scenario assumptions, not measured.

PARTITIONED LEADERBOARD
Active keys touched: 12
Hottest write-key share: 10.0%
Local measured writes/s: N
Write p50: N ms over HTTP
Write p95: N ms over HTTP
Projected average writes/partition/s: 20,000
Projected hot writes/partition/s: 40,000
Global top-K candidate count: 120
Exact-rank partition fan-out: 12
Target score: 660
Exact competition rank: 11,208
Partition-local around-me sample: [('player-05370', 679.0), ('player-11778', 662.0), \
('player-00042', 660.0), ('player-00318', 622.0), ('player-08406', 619.0)]
Partition distribution: PASS
Global top-K proof: PASS
Exact global rank proof: PASS
Partition-local around-me proof: PASS
Known answers: PASS
Cost of an exact global rank: it reads every partition, so it needs a rate limit and an \
objective of its own.
Local figures: this machine and a synthetic workload, LEDGER=none; not production capacity.
Without a ledger, because they are about what a key costs, not about a durable write.
Projected figures: from the scenario assumptions, not measured.

FAILURE DRILL
Event sent twice: applied, then duplicate
Event sent twice while Redis was down: durable-only, then duplicate
Its score in the ranking: unavailable (503) then, 0 (recovering) with Redis back, \
20000 after replay
Events replayed: 1
Its place in the captured top: none
Its place in a fresh top: 1
Duplicate retry: PASS
Redis outage replay: PASS
Delayed aggregation: PASS
Failure contract: durable writes continue; ranking reads are stale or unavailable until \
projection recovery.
Drilled on a server of the lab's own, with data saved and loaded again; ledger sqlite, \
LEDGER_SYNC=full.

OUT-OF-ORDER DRILL
Events, as player-sequence: one-2 applied, one-1 stale, one-1-higher stale, one-2-other stale, \
one-3 applied, one-2 duplicate, one-1 stale, two-1 applied
Events while Redis was down: one-6 durable-only, one-5 stale, one-6 duplicate, \
one-7 durable-only, two-2 durable-only, two-1 duplicate
First event of a player: PASS
Delayed older event: PASS
Equal sequence of another event: PASS
Newer sequence: PASS
Retry of an old event: PASS
Independent players: PASS
Older event during the outage: PASS
Replay after the outage: PASS
Sequence contract: an event whose sequence is not above its player's last one is stale; \
ledger and ranking keep the newer score.
Drilled on a server of the lab's own, with data saved and loaded again; ledger sqlite, \
LEDGER_SYNC=full.

17 of 17 checks PASS"""


def _bare(line: str) -> str:
    """A line without what depends on the machine and its versions."""
    line = re.sub(r"(?<=^Redis image: )\S+( \(redis_version \S+\))?(?=,)", "SERVER", line)
    line = re.sub(r"(?<=^redis-py version: )[\d.]+$", "CLIENT", line)
    return MEASURED.sub(lambda found: f"{found[1] or found[2]}N", line)


def test_every_line_of_make_lab_passes(checkout: Checkout) -> None:
    """The six reports, with every known answer, and a progress line for each long step.

    Also on a machine that stops Redis for a moment: the answers are about what is right.
    """
    command = checkout.start("lab")
    command.wait_for("writing 3,000 scores")
    command.wait_until(lambda: checkout.processes_with("valkey-server"), "a Redis server")
    server = checkout.processes_with("valkey-server")[0]
    server.send_signal(signal.SIGSTOP)
    time.sleep(1.2)
    server.send_signal(signal.SIGCONT)
    code, output = command.wait(), command.output
    lines = output.splitlines()
    lines = lines[lines.index("... starting a Redis server and the service (naive)") :]
    progress = [line for line in lines if line.startswith("... ")]
    report = [_bare(line) for line in lines if not line.startswith("... ")]

    assert 0 == code, output
    assert REPORT.splitlines() == report
    assert 22 == len(progress)
    assert checkout.left_after() == []
    assert ["lock"] == [path.name for path in (checkout.root / ".hotboard").iterdir()]


def test_ctrl_c_leaves_nothing(checkout: Checkout) -> None:
    """Stopped while it writes, the lab ends with a sentence, its processes and its files."""
    command = checkout.start("lab")
    command.wait_for("writing 3,000 scores")
    command.interrupt()
    code = command.wait()

    assert code != 0
    assert "stopped by SIGINT" in command.output
    assert "Traceback" not in command.output
    assert checkout.left_after() == []
    assert ["lock"] == [path.name for path in (checkout.root / ".hotboard").iterdir()]


def test_a_redis_that_dies_is_named(checkout: Checkout) -> None:
    """The sentence names the part that died and its log, which is kept."""
    command = checkout.start("lab")
    command.wait_for("writing 3,000 scores")
    command.wait_until(lambda: checkout.processes_with("valkey-server"), "a Redis server")
    checkout.processes_with("valkey-server")[0].send_signal(signal.SIGKILL)
    code = command.wait()

    assert code != 0
    assert "The Redis server ended by itself" in command.output
    assert (checkout.root / ".hotboard" / "lab" / "redis.log").is_file()
    assert checkout.left_after() == []
