"""The addresses that a user names: checked before anybody connects, and shown without passwords."""

import re
from urllib.parse import urlsplit

import redis
from redis.connection import parse_url

_PASSWORDS = re.compile(r"(?<=//)([^:/@]*):.*@|(?<=[?&]password=)[^&]*")


def web_address(text: object) -> object:
    """An address of HTTP without a slash at its end.

    Raises:
        ValueError: it is none, or holds what nobody would use.
    """
    if not isinstance(text, str) or not text:
        return text
    parts = urlsplit(text)
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or parts.port == 0  # the look itself refuses what is no port
        or re.search(r"[\s?#]", text)
    ):
        raise ValueError("give an address such as https://leaderboard.example:8443")
    if "@" in parts.netloc:
        raise ValueError("a name and a password in an address are not sent: leave them out")
    return text.rstrip("/")


def redis_address(text: object) -> object:
    """An address of Redis that its client library understands, all of it.

    Raises:
        ValueError: it is none, or the library would ignore a part of it.
    """
    if not isinstance(text, str) or not text:
        return text
    parts = urlsplit(text)
    if parts.scheme not in {"redis", "rediss", "unix"}:
        raise ValueError("give an address such as redis://127.0.0.1:6379/0")
    if parts.scheme != "unix" and not re.fullmatch(r"/?\d*", parts.path, re.ASCII):
        raise ValueError("a database is a number, as in redis://127.0.0.1:6379/0")
    options = parse_url(text)  # type: ignore[no-untyped-call]  # redis-py leaves it bare
    kind = options.pop("connection_class", redis.Connection)
    try:
        kind(**options)
    except TypeError as error:
        raise ValueError(f"it holds an option that does not exist ({error})") from None
    return text


def without_password(text: str) -> str:
    """The same text, fit to be printed and kept with a run."""
    return _PASSWORDS.sub(lambda found: f"{found[1]}:***@" if found[1] is not None else "***", text)
