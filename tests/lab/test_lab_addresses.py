"""Addresses are checked before anybody connects, and never shown with a password."""

import pytest

from lab.addresses import redis_address, shown, web_address, without_password


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
        ("redis://h/0?db=x", "of no use"),
        ("rediss://h?ssl_cert_reqs=perhaps", "of no use"),
        ("redis://h?protocol=1", "of no use"),
        ("redis://h?maint_notifications_config=x", "of no use"),
        ("redis://me:se?cret@h/0", "^it cannot be read; in a password, write /"),
        ("redis://\u2100:secret@h/0", "^it cannot be read; in a password, write /"),
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
        ("https://token@h/0", "https://***@h/0"),
        ("rediss://me:p/w@d@h:1/0", "rediss://me:***@h:1/0"),
        ("me:pw@h", "me:***@h"),
        ("redis://me:p?w#x@h", "redis://me:***@h"),
        ("redis://me:p\nw@h", "redis://me:***@h"),
        ("unix:///a.sock?password=pw&db=1", "unix:///a.sock?password=***&db=1"),
        ("rediss://h?ssl_password=p=w&db=1", "rediss://h?ssl_password=***&db=1"),
        ("rediss://h?%70assword=pw", "rediss://h?%70assword=***"),
        ("rediss://h?PASSWORD=a?b", "rediss://h?PASSWORD=***"),
        ("https://h/a?auth_token=t;x=1#secret=s", "https://h/a?auth_token=***;x=1#secret=***"),
        ("rediss://h?ssl_keyfile=/k.pem", "rediss://h?ssl_keyfile=/k.pem"),
    ],
)
def test_passwords_are_not_shown(text: str, shown: str) -> None:
    """All else of the address is."""
    assert shown == without_password(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no address, me@h, 5 s: a/b", "no address, me@h, 5 s: a/b"),
        (
            "(http://me:pw@h/a) and http://h?token=t, no",
            "(http://me:***@h/a) and http://h?token=*** no",
        ),
        ("http://h?token=***: no", "http://h?token=***: no"),
        ("two\nlines", "two\nlines"),
        ("\x1b]0;title\x07 \x9b2J\r\u202e\ud800", "�]0;title� �2J���"),
        ("größer ≤ 5 µs 中", "größer ≤ 5 µs 中"),
    ],
)
def test_any_text_is_shown_without_passwords_and_without_what_a_terminal_obeys(
    text: str, told: str
) -> None:
    """Of an address everything else is left, of other text all that can be read."""
    assert told == shown(text)
