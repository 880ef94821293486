"""The values of the service's counters after known requests, in both modes."""

import math
import time

import pytest
from leaderboard_client import GLOBAL_KEY, HOME, PARTITIONS, Leaderboard, key_of, path

from target_service.metrics import KEY_BUCKETS_SECONDS

Sample = tuple[str, ...]
HTTP_COUNT = "leaderboard_http_request_duration_seconds_count"


class Growth:
    """How much samples grew since this was made."""

    def __init__(self, leaderboard: Leaderboard) -> None:
        self._leaderboard = leaderboard
        self._before = leaderboard.samples()

    def of(self, *sample: str) -> float:
        """The growth of one sample."""
        return self._grown().get(sample, 0.0)

    def by_key(self, name: str, *rest: str) -> dict[str, float]:
        """The growth of one series per key, without the keys that did not grow."""
        return {
            sample[1]: growth
            for sample, growth in self._grown().items()
            if sample[0] == name and sample[2:] == rest and growth
        }

    def _grown(self) -> dict[Sample, float]:
        after = self._leaderboard.samples()
        return {sample: value - self._before.get(sample, 0.0) for sample, value in after.items()}


def _keys(leaderboard: Leaderboard) -> list[str]:
    return [GLOBAL_KEY] if leaderboard.mode == "naive" else list(map(key_of, PARTITIONS))


def test_a_write_is_one_hit_and_one_member(leaderboard: Leaderboard) -> None:
    """On the key that serves the partition, and on no other."""
    growth = Growth(leaderboard)

    leaderboard.submit("ann", 1)

    key = leaderboard.board(HOME)
    assert growth.by_key("leaderboard_key_ops_total", "write") == {key: 1}
    assert growth.by_key("leaderboard_key_members_written_total") == {key: 1}
    assert growth.by_key("leaderboard_key_op_duration_seconds_count", "write") == {key: 1}
    assert growth.of("leaderboard_redis_commands_total", "zadd") == 1
    assert growth.of("leaderboard_writes_total", "applied") == 1


def test_a_batch_is_one_hit_and_all_its_members(leaderboard: Leaderboard) -> None:
    """Hits count commands; members and writes count events."""
    growth = Growth(leaderboard)

    leaderboard.load({f"player-{index}": index for index in range(250)})

    key = leaderboard.board(HOME)
    assert growth.by_key("leaderboard_key_ops_total", "write") == {key: 1}
    assert growth.by_key("leaderboard_key_members_written_total") == {key: 250}
    assert growth.of("leaderboard_writes_total", "applied") == 250


def test_a_global_top_reads_every_key_once(leaderboard: Leaderboard) -> None:
    """One hit in naive mode, twelve in partitioned mode."""
    growth = Growth(leaderboard)

    leaderboard.top(10)

    keys = _keys(leaderboard)
    assert growth.by_key("leaderboard_key_ops_total", "read") == dict.fromkeys(keys, 1)
    assert growth.of("leaderboard_redis_commands_total", "zrevrange") == len(keys)


def test_a_script_is_one_hit_and_its_commands_are_counted(leaderboard: Leaderboard) -> None:
    """Around is one hit: one call, one look-up and one range inside it, two at the end."""
    leaderboard.load({f"player-{index:02d}": index for index in range(20)})
    growth = Growth(leaderboard)

    leaderboard.around("player-10", 2)
    leaderboard.around("player-00", 2)

    assert growth.by_key("leaderboard_key_ops_total", "read") == {leaderboard.board(HOME): 2}
    assert growth.of("leaderboard_redis_commands_total", "evalsha") == 2
    assert growth.of("leaderboard_redis_commands_total", "zrevrank") == 2
    assert growth.of("leaderboard_redis_commands_total", "zrevrange") == 3


def test_a_rank_hits_every_key_once(leaderboard: Leaderboard) -> None:
    """The own key by a script of three commands, the others by one count each."""
    leaderboard.submit("ann", 1)
    growth = Growth(leaderboard)

    leaderboard.rank("ann")

    keys = _keys(leaderboard)
    assert growth.by_key("leaderboard_key_ops_total", "read") == dict.fromkeys(keys, 1)
    for command, times in {"evalsha": 1, "zscore": 1, "zrevrank": 1, "zcount": len(keys)}.items():
        assert growth.of("leaderboard_redis_commands_total", command) == times


def test_a_missing_player_costs_one_hit(leaderboard: Leaderboard) -> None:
    """A look-up that finds nobody is still a command that ran, and nothing follows it."""
    growth = Growth(leaderboard)

    leaderboard.http.get(path(HOME, "players", "nobody", "rank"))
    leaderboard.http.get(path(HOME, "players", "nobody", "around"))

    assert growth.by_key("leaderboard_key_ops_total", "read") == {leaderboard.board(HOME): 2}
    assert growth.of("leaderboard_redis_commands_total", "zscore") == 1
    assert growth.of("leaderboard_redis_commands_total", "zrevrank") == 1
    assert growth.of("leaderboard_redis_commands_total", "zcount") == 0


def test_refused_requests_reach_no_key(leaderboard: Leaderboard) -> None:
    """A 422 costs Redis nothing."""
    growth = Growth(leaderboard)

    leaderboard.submit("", 1)
    leaderboard.http.get("/v1/top?k=0")

    assert growth.by_key("leaderboard_key_ops_total", "read") == {}
    assert growth.by_key("leaderboard_key_ops_total", "write") == {}


@pytest.mark.parametrize(
    ("method", "where", "labels"),
    [
        ("POST", "/v1/scores", ("422", "POST", "submit")),
        ("GET", "/v1/scores", ("405", "GET", "submit")),
        ("POST", path(HOME, "scores"), ("422", "POST", "submit_batch")),
        ("GET", "/v1/top", ("200", "GET", "top")),
        ("GET", path(HOME, "top"), ("200", "GET", "partition_top")),
        ("GET", path(HOME, "players", "ann", "around"), ("404", "GET", "around")),
        ("GET", path(HOME, "players", "ann", "rank"), ("404", "GET", "rank")),
        ("GET", "/v1/boards", ("200", "GET", "describe")),
        ("GET", "/healthz", ("200", "GET", "healthz")),
        ("GET", "/readyz", ("200", "GET", "readyz")),
        ("GET", "/nowhere/player-00001", ("404", "GET", "unmatched")),
        ("PROPFIND", "/v1/top", ("405", "other", "top")),
    ],
)
def test_requests_are_timed_by_operation(
    leaderboard: Leaderboard, method: str, where: str, labels: Sample
) -> None:
    """Route, method and code are closed sets; neither a path nor an id is ever a label."""
    growth = Growth(leaderboard)

    leaderboard.http.request(method, where)

    assert growth.of(HTTP_COUNT, *labels) == 1


def test_times_fall_into_buckets_that_add_up(leaderboard: Leaderboard) -> None:
    """The last bucket holds every observation, and the sum is a time that passed."""
    growth = Growth(leaderboard)
    began = time.perf_counter()
    for score in range(20):
        leaderboard.submit("ann", score)
    passed = time.perf_counter() - began

    key = leaderboard.board(HOME)
    series = "leaderboard_key_op_duration_seconds"
    # None took longer than all together; on a quiet machine that is far from the last bound.
    bound = next((f"{le:g}" for le in KEY_BUCKETS_SECONDS if le >= passed), "+Inf")
    # The parser hands label values over by name: key, le, op.
    assert growth.of(f"{series}_bucket", key, "+Inf", "write") == 20
    assert growth.of(f"{series}_bucket", key, bound, "write") == 20
    assert 0 < growth.of(f"{series}_sum", key, "write") < passed


def test_a_pipeline_takes_its_time_once(leaderboard: Leaderboard) -> None:
    """Twelve keys that share a pipeline each have all of its time; the pipeline has it once."""
    growth = Growth(leaderboard)
    began = time.perf_counter()
    for _ in range(20):
        leaderboard.top(10)
    passed = time.perf_counter() - began
    once = growth.of("leaderboard_redis_pipeline_seconds_total")
    keys = growth.by_key("leaderboard_key_op_duration_seconds_sum", "read")

    assert 0 < once < passed
    if leaderboard.mode == "partitioned":
        assert once < sum(keys.values())


def test_the_service_says_what_it_is(leaderboard: Leaderboard) -> None:
    """Mode, ledger and version; and twelve keys should share the load, whatever the mode."""
    samples = leaderboard.samples()

    assert samples["leaderboard_info", "none", leaderboard.mode, "0.1.0"] == 1
    assert samples["leaderboard_partitions",] == 12


def test_members_are_a_number_for_every_key(leaderboard: Leaderboard) -> None:
    """One gauge per key of the mode, filled by the first refresh."""
    samples = leaderboard.samples()

    told = {name[1]: value for name, value in samples.items() if "board_members" in name[0]}
    assert sorted(told) == sorted(_keys(leaderboard))
    assert not any(map(math.isnan, told.values()))


def test_every_series_exists_from_the_start(leaderboard: Leaderboard) -> None:
    """Rates need a zero to start from: keys and commands are there before their first hit."""
    samples = leaderboard.samples()

    for command in ("zadd", "zrevrange", "zrevrank", "zscore", "zcount", "evalsha"):
        assert ("leaderboard_redis_commands_total", command) in samples
        assert ("leaderboard_redis_unknown_total", command) in samples
    for key in _keys(leaderboard):
        for op in ("read", "write"):
            assert ("leaderboard_key_ops_total", key, op) in samples


def test_a_scrape_is_plain_text(leaderboard: Leaderboard) -> None:
    """The media type is the one Prometheus asks for, and no series of creation times is sent."""
    answer = leaderboard.http.get("/metrics")

    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "_created" not in answer.text
