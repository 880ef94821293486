"""Addresses are checked before anybody connects, and never shown with a password."""

import pytest

from lab.addresses import redis_address, web_address, without_password


@pytest.mark.parametrize(
    "text", ["https://leaderboard.example", "http://[::1]:81/a", "http://127.0.0.1:8000"]
)
def test_web_addresses(text: str) -> None:
    """A slash at the end is left out."""
    assert text == web_address(f"{text}/")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ftp://h", "such as https://"),
        ("http://", "such as https://"),
        ("http://ex ample", "such as https://"),
        ("http://h/?a=b", "such as https://"),
        ("http://h/#a", "such as https://"),
        ("http://h:0", "such as https://"),
        ("http://h:99999", "Port out of range"),
        ("http://h:x", "Port could not be cast"),
        ("http://[::1", "Invalid IPv6"),
        ("http://me:pw@h", "are not sent"),
    ],
)
def test_web_addresses_that_are_none(text: str, reason: str) -> None:
    """What nobody could connect to, and what nobody would send."""
    with pytest.raises(ValueError, match=reason):
        web_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "redis://127.0.0.1:6379/0",
        "redis://h",
        "rediss://me:pw@h:1/15",
        "unix:///run/redis.sock?db=2",
        "redis://h?db=3",
    ],
)
def test_redis_addresses(text: str) -> None:
    """They stay as they are."""
    assert text == redis_address(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://h", "such as redis://"),
        ("redis://h:x/0", "Port could not be cast"),
        ("redis://h:99999/0", "Port out of range"),
        ("redis://h/board", "a database is a number"),
        ("redis://h/1/2", "a database is a number"),
        ("redis://h/0?colour=blue", "'colour'"),
        ("redis://h/0?db=x", "db"),
    ],
)
def test_redis_addresses_that_are_none(text: str, reason: str) -> None:
    """A part that the client library would stumble over, or ignore in silence."""
    with pytest.raises(ValueError, match=reason):
        redis_address(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
        ("redis://:pw@h/0", "redis://:***@h/0"),
        ("rediss://me:p/w@d@h:1/0", "rediss://me:***@h:1/0"),
        ("unix:///a.sock?password=pw&db=1", "unix:///a.sock?password=***&db=1"),
    ],
)
def test_passwords_are_not_shown(text: str, shown: str) -> None:
    """All else of the address is."""
    assert shown == without_password(text)
