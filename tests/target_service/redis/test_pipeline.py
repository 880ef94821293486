"""The shared pipeline: what travels together, what is bounded, what is known afterwards."""

import asyncio
import time

import pytest
from fake_redis import (
    PATIENCE_SECONDS,
    TIMEOUT_SECONDS,
    FakeRedis,
    RecordingMetrics,
    echo,
    run_against,
    run_at,
    until,
)
from free_ports import free_port
from redis.exceptions import ResponseError
from valkey_process import ValkeyProcess

from target_service.redis.commands import Command, QueueFull, RedisUnavailable, pack
from target_service.redis.pipeline import PIPELINE_WEIGHT, QUEUED_WEIGHT, Clock, Pipeline


def test_commands_of_one_turn_share_one_pipeline() -> None:
    """Fifty callers in one turn of the loop are one write, and each gets its own answer."""
    fake = FakeRedis(answers=1000)
    command_metrics = RecordingMetrics()

    async def scenario(pipeline: Pipeline) -> None:
        """Fifty callers in one turn."""
        answers = await asyncio.gather(
            *(pipeline.run((echo(f"text-{number}", command_metrics),)) for number in range(50))
        )
        assert [f"text-{number}" for number in range(50)] == [a.replies[0] for a in answers]
        assert len({answer.as_of for answer in answers}) == 1

    run_against(fake, scenario)

    assert fake.batches == [50]
    assert (len(command_metrics.answers), command_metrics.unknown) == (50, 0)


def test_quiet_callers_need_one_connection() -> None:
    """One request after the other uses the connection that is open already."""
    fake = FakeRedis(answers=1000)

    async def scenario(pipeline: Pipeline) -> None:
        """Ten callers, one after the other."""
        for number in range(10):
            await pipeline.run((echo(str(number), RecordingMetrics()),))

    run_against(fake, scenario)

    assert (fake.connections, fake.batches) == (1, [1] * 10)


def test_heavy_commands_are_split_over_pipelines() -> None:
    """No pipeline carries more weight than its limit, unless one command does alone."""
    fake = FakeRedis(answers=1000)

    async def scenario(pipeline: Pipeline) -> None:
        """Five callers of different weight."""
        half = PIPELINE_WEIGHT // 2
        weights = [half, half, half, PIPELINE_WEIGHT * 2, half]
        await asyncio.gather(
            *(pipeline.run((echo("x", RecordingMetrics(), weight),)) for weight in weights)
        )

    run_against(fake, scenario)

    assert sorted(fake.batches) == [1, 1, 1, 2]


def test_answers_that_never_come_are_counted_as_unknown() -> None:
    """What was answered counts as answered, the rest of the pipeline as unknown."""
    fake = FakeRedis(answers=2)
    command_metrics = [RecordingMetrics() for _ in range(4)]

    async def scenario(pipeline: Pipeline) -> None:
        """Two callers, of whom one gets an answer."""
        first = pipeline.run((echo("a", command_metrics[0]),))
        rest = pipeline.run(
            [
                echo("b", command_metrics[1]),
                echo("c", command_metrics[2]),
                echo("d", command_metrics[3]),
            ]
        )
        results = await asyncio.gather(first, rest, return_exceptions=True)
        assert [type(result).__name__ for result in results] == ["Answers", "RedisUnavailable"]
        # The callers failed at their deadline; the connection gives up at its own, moments later.
        await until(lambda: all(command_metrics.unknown for command_metrics in command_metrics[2:]))

    run_against(fake, scenario, TIMEOUT_SECONDS)

    assert [len(command_metrics.answers) for command_metrics in command_metrics] == [1, 1, 0, 0]
    assert [command_metrics.unknown for command_metrics in command_metrics] == [0, 0, 1, 1]


def test_a_connection_that_timed_out_is_closed_and_never_used_again() -> None:
    """The next request travels on a new connection and cannot read a late answer."""
    fake = FakeRedis(answers=0)

    async def scenario(pipeline: Pipeline) -> None:
        """One caller too early, one after the silence."""
        with pytest.raises(RedisUnavailable):
            await pipeline.run((echo("lost", RecordingMetrics()),))
        await until(lambda: fake.closed == 1)
        fake.answers_left = 1000
        answers = await pipeline.run((echo("found", RecordingMetrics()),))
        assert answers.replies == ["found"]

    run_against(fake, scenario, TIMEOUT_SECONDS)

    assert fake.connections == 2


def test_no_caller_waits_longer_than_the_timeout() -> None:
    """Requests behind busy connections fail in time too, and are never sent."""
    fake = FakeRedis(answers=0)
    command_metrics = RecordingMetrics()

    async def scenario(pipeline: Pipeline) -> None:
        """Ten callers of whom four are sent."""
        started = time.perf_counter()
        heavy = [pipeline.run((echo("x", command_metrics, PIPELINE_WEIGHT),)) for _ in range(10)]
        results = await asyncio.gather(*heavy, return_exceptions=True)
        assert {type(result) for result in results} == {RedisUnavailable}
        assert TIMEOUT_SECONDS <= time.perf_counter() - started < PATIENCE_SECONDS
        await until(lambda: command_metrics.unknown == 4)

    run_against(fake, scenario, TIMEOUT_SECONDS)

    assert fake.batches == [1, 1, 1, 1]
    assert command_metrics.unknown == 4


def test_a_full_queue_refuses_at_once() -> None:
    """More waiting weight than the limit is refused without waiting."""
    fake = FakeRedis(answers=0)

    async def scenario(pipeline: Pipeline) -> None:
        """Two callers fill the queue, a third comes."""
        weight = QUEUED_WEIGHT // 2
        waiting = [
            asyncio.create_task(pipeline.run((echo("x", RecordingMetrics(), weight),)))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await pipeline.run((echo("x", RecordingMetrics()),))
        await asyncio.gather(*waiting, return_exceptions=True)

    run_against(fake, scenario, TIMEOUT_SECONDS)


def test_a_server_that_is_gone_refuses_at_once() -> None:
    """Nothing was sent, so nothing is unknown."""
    command_metrics = RecordingMetrics()

    async def scenario(pipeline: Pipeline) -> None:
        """One caller."""
        with pytest.raises(RedisUnavailable, match="cannot be reached"):
            await pipeline.run((echo("x", command_metrics),))

    run_at(f"redis://127.0.0.1:{free_port()}", scenario)

    assert command_metrics.unknown == 0


def test_an_error_belongs_to_its_own_command(valkey: ValkeyProcess) -> None:
    """The caller whose command failed gets the error; the neighbours get their answers."""
    command_metrics = RecordingMetrics()

    async def scenario(pipeline: Pipeline) -> None:
        """A bad command and a good one."""
        bad = pipeline.run((Command(pack("ZADD", "key", "no number", "x"), command_metrics),))
        good = pipeline.run((echo("fine", command_metrics),))
        results = await asyncio.gather(bad, good, return_exceptions=True)
        assert isinstance(results[0], ResponseError)
        assert results[1].replies == ["fine"]  # type: ignore[union-attr]  # no exception

    run_at(valkey.url(7), scenario)

    assert (len(command_metrics.errors), command_metrics.answers, command_metrics.unknown) == (
        1,
        ["fine"],
        0,
    )


def test_a_unix_socket_serves_as_well(valkey: ValkeyProcess) -> None:
    """The address may name a socket file."""

    async def scenario(pipeline: Pipeline) -> None:
        """One caller."""
        answers = await pipeline.run((echo("near", RecordingMetrics()),))
        assert answers.replies == ["near"]

    run_at(f"unix://{valkey.socket_path}?db=3", scenario)


def test_a_restarted_server_is_found_again_without_a_failure(own_valkey: ValkeyProcess) -> None:
    """A connection that the server closed while it was idle is noticed before it is used."""
    command_metrics = RecordingMetrics()

    async def scenario(pipeline: Pipeline) -> None:
        """One caller before the restart and one after."""
        await pipeline.run((echo("before", command_metrics),))
        own_valkey.stop()
        own_valkey.start()
        await asyncio.sleep(0.05)
        await pipeline.run((echo("after", command_metrics),))

    run_at(own_valkey.url(), scenario)

    assert (command_metrics.answers, command_metrics.unknown) == (["before", "after"], 0)


def test_time_never_goes_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall clock set back repeats the latest moment until it has caught up."""
    nanoseconds = iter(
        [1_700_000_000_123_000_000, 1_600_000_000_000_000_000, 1_700_000_000_124_999_999]
    )
    monkeypatch.setattr(time, "time_ns", lambda: next(nanoseconds))
    clock = Clock()

    stamps = [clock.stamp() for _ in range(3)]

    assert stamps == [
        "2023-11-14T22:13:20.123Z",
        "2023-11-14T22:13:20.123Z",
        "2023-11-14T22:13:20.124Z",
    ]
