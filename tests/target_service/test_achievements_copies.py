"""The stream of unlocks and the boards in Redis, when somebody else has been at them."""

import pytest
from achievements_client import STREAM, Achieving
from durable_service import eventually


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
