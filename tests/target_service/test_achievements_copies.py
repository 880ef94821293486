"""The stream of unlocks and the boards in Redis, when somebody else has been at them."""

import pytest
from achievements_client import STREAM, Achieving
from durable_service import Durable, eventually


@pytest.mark.parametrize("what", ["entry", "text", "list"])
def test_what_somebody_else_does_to_the_stream_swallows_no_frame(
    achieving: Achieving, what: str
) -> None:
    """An entry of theirs has a greater id than any of ours; so the stream is begun anew."""
    earlier, later = f"earlier-{what}", f"later-{what}"
    achieving.count(earlier, signups=1)
    achieving.page(earlier)
    assert eventually(lambda: [(earlier, "host", 1)] == achieving.frames(earlier))
    known = f"{{{STREAM}}}:ledger"
    if what == "entry":
        achieving.redis.xadd(STREAM, {"member": "theirs"})
    elif what == "text":
        achieving.redis.delete(STREAM)
        achieving.redis.set(STREAM, "theirs")
    else:
        achieving.redis.delete(known)
        achieving.redis.rpush(known, "theirs")
    achieving.count(later, signups=1)
    achieving.page(later)

    assert eventually(lambda: "stream" == achieving.redis.type(STREAM))
    assert eventually(lambda: [(later, "host", 1)] == achieving.frames(later))
    assert [(later, "host", 1)] == achieving.frames(later, earlier, "theirs")


def test_frames_that_redis_refuses_wait_and_are_told(
    shaky_durable: Durable,
) -> None:
    """Out of memory: the log says so once, and afterwards every frame is there in its order."""
    achieving = Achieving(shaky_durable.http, shaky_durable.redis, shaky_durable.ledger)
    for signups in (1, 9, 90):
        achieving.count("waits", signups=signups)
        achieving.page("waits")
        assert eventually(lambda: [] != achieving.stream())
        achieving.redis.config_set("maxmemory", "1")
    told = "Unlocks wait in the ledger: Redis refuses achievements:unlocks"
    assert eventually(lambda: told in shaky_durable.service.log.read_text())
    assert [("waits", "host", 1)] == achieving.frames("waits")
    achieving.redis.config_set("maxmemory", "0")

    assert eventually(lambda: 3 == len(achieving.stream()))
    assert [("waits", "host", level) for level in (1, 2, 3)] == achieving.frames("waits")
    assert 1 == shaky_durable.service.log.read_text().count(told)


@pytest.mark.parametrize("loss", ["board", "mark", "member", "half", "words", "text", "texts"])
def test_a_board_that_lost_something_is_made_anew(achieving: Achieving, loss: str) -> None:
    """The whole board, its mark, a part of either; or something else has their names."""
    organization, key = f"loss-{loss}", f"achievements:points:loss-{loss}"
    mark = f"{{{key}}}:mark"
    for number in range(3):
        achieving.enrol(f"{loss}-{number}", organization, None)
    whole = achieving.colleagues(organization)
    if loss == "board":
        achieving.redis.delete(key)
    elif loss == "mark":
        achieving.redis.delete(mark)
    elif loss == "half":
        achieving.redis.hdel(mark, "members")
    elif loss == "words":
        achieving.redis.hset(mark, "change", "theirs")
    elif loss == "text":
        achieving.redis.set(key, "theirs")
    elif loss == "texts":
        achieving.redis.mset({key: "theirs", mark: "theirs"})
    else:
        achieving.redis.zrem(key, "member-1")

    assert 3 == len(whole)
    assert whole == achieving.colleagues(organization)
