"""The addresses that a user names: checked before anybody connects, and shown without passwords."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote_plus, urlsplit

import redis
from redis.connection import parse_url

# How redis-py refuses the value of an option.
_REFUSALS = (ValueError, AttributeError, redis.RedisError)
_HIDDEN = "***"
_LEFT_OUT = "\N{REPLACEMENT CHARACTER}"
# A name and a password before an @, or one of them; a password may hold any sign.
_USER = re.compile(r"^((?:[a-z][a-z0-9+.-]*:)?//|)([^:/@]*:)?.*@", re.DOTALL | re.IGNORECASE)
# What stands there already is not hidden again, nor with it the sign that ends a clause.
_OPTION = re.compile(r"([?&;#])([^?&;#=]*)=(\*{3}(?=[:,.)]*$)|[^&;#]*)")
_SECRET = re.compile(r"pass|pwd|token|secret|credential|api_?key|signature", re.IGNORECASE)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")


def is_loopback(host: str | None) -> bool:
    """Whether a host is this machine and nobody else's."""
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False


def web_address(text: object) -> object:
    """An address of HTTP without a slash at its end.

    Raises:
        ValueError: it is none, or holds what nobody would use.
    """
    if not isinstance(text, str) or not text:
        return text
    parts = _parts(text)
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or parts.port == 0
        or re.search(r"[\s?#]", text)
    ):
        raise ValueError("give an address such as https://leaderboard.example:8443")
    require_no_user(text)
    return text.rstrip("/")


def require_no_user(address: str) -> None:
    """Refuse what would be left out in silence.

    Raises:
        ValueError: the address names a user.
    """
    if "@" in urlsplit(address).netloc:
        raise ValueError("a name and a password in an address are not sent: leave them out")


def redis_address(text: object) -> object:
    """An address of Redis that its client library understands, all of it.

    Raises:
        ValueError: it is none, or the library would ignore a part of it.
    """
    if not isinstance(text, str) or not text:
        return text
    parts = _parts(text)
    if parts.scheme not in {"redis", "rediss", "unix"}:
        raise ValueError("give an address such as redis://127.0.0.1:6379/0")
    if parts.scheme != "unix" and not re.fullmatch(r"/?\d*", parts.path, re.ASCII):
        raise ValueError("a database is a number, as in redis://127.0.0.1:6379/0")
    try:
        options = parse_url(text)  # type: ignore[no-untyped-call]  # redis-py leaves it bare
        options.pop("connection_class", redis.Connection)(**options)
    except TypeError as error:
        raise ValueError(f"it holds an option that does not exist ({error})") from None
    except _REFUSALS:
        raise ValueError("an option of it has a value of no use") from None
    return text


def _parts(text: str) -> SplitResult:
    """The parts of an address; what the library says of a wrong one may be of a password."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        if "@" in text:
            raise ValueError(
                "it cannot be read; in a password, write / ? # [ ] and @ as %2F %3F %23 %5B %5D %40"
            ) from None
        raise
    return parts


def without_password(text: str) -> str:
    """An address, fit to be printed and kept with a run."""
    text = _OPTION.sub(_option, text)
    return _USER.sub(lambda found: f"{found[1]}{found[2] or ''}{_HIDDEN}@", text)


def shown(text: str) -> str:
    """Any text, also one of somebody else's, as it may be printed and kept.

    The addresses in it have no passwords, and there is nothing in it that a terminal would obey.
    """
    without = _ADDRESS.sub(lambda found: without_password(found[0]), text)
    return "".join(one if one.isprintable() or one == "\n" else _LEFT_OUT for one in without)


def _option(found: re.Match[str]) -> str:
    is_secret = _SECRET.search(unquote_plus(found[2]))
    return f"{found[1]}{found[2]}={_HIDDEN}" if is_secret else found[0]
