"""The one way in which files of a run directory are read: it may be anybody's, and hold anything.

What is read is a regular file inside the directory and of a bounded length. Its JSON holds no
numbers beyond reason, is not nested for ever, and none of its words would be obeyed by a terminal.
"""

import os
import re
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, Final

import msgspec

# Of the files that are read whole; a run of a day writes a few megabytes.
LARGEST_BYTES: Final = 2**28
_DEEPEST: Final = 64
_GREATEST: Final = 2**63
_LEAST: Final = 1e-18
_ESCAPE: Final = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_SPACES: Final = frozenset({rb"\n", rb"\r", rb"\t"})
_BACK_AND_ON: Final = frozenset({rb"\b", rb"\f"})
_INSTEAD: Final = "\N{REPLACEMENT CHARACTER}"
_SURROGATES: Final = range(0xD800, 0xE000)


class UnusableFile(ValueError):
    """A file that is there and cannot be used; says why, beginning with its name."""


def printable(text: str) -> str:
    """Words of somebody else's without what a terminal would obey, but for the ends of lines."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else _INSTEAD for one in text)


def open_inside(folder: Path, name: str) -> BinaryIO:
    """Open a file of a run directory.

    Raises:
        FileNotFoundError: it is not there.
        UnusableFile: it is no regular file of this directory, or may not be read.
    """
    try:
        real = (folder / name).resolve(strict=True)
        if not real.is_relative_to(folder.resolve()):
            raise UnusableFile(f"{name} is a link that leads out of the run directory")
        # Without O_NONBLOCK a pipe would be waited for.
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        if not S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UnusableFile(f"{name} is not a file")
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(name) from None
    except OSError as error:
        raise UnusableFile(f"{name} cannot be read: {error.strerror}") from None
    except RuntimeError:  # before Python 3.13 that is what a circle of links is
        raise UnusableFile(f"{name} cannot be read: it is a link to itself") from None
    return os.fdopen(descriptor, "rb")


def read_inside(folder: Path, name: str) -> bytes:
    """The content of a file of a run directory.

    Raises:
        FileNotFoundError: it is not there.
        UnusableFile: it is no regular file of this directory, too long, or may not be read.
    """
    with open_inside(folder, name) as file:
        try:
            data = file.read(LARGEST_BYTES + 1)
        except OSError as error:
            raise UnusableFile(f"{name} cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_BYTES:
        raise UnusableFile(f"{name} is longer than {LARGEST_BYTES:,} bytes")
    return data


def sane_json(data: bytes) -> Any:  # noqa: ANN401  whatever JSON holds
    """The content of JSON, of any kind.

    Raises:
        msgspec.MsgspecError, RecursionError: it is none.
        ValueError: there is something in it that no run writes.
    """
    content = msgspec.json.decode(data)
    waiting = [(content, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth == _DEEPEST:
                raise ValueError(f"it is nested deeper than {_DEEPEST} levels")
            parts = value.values() if isinstance(value, dict) else value
            waiting.extend((part, depth + 1) for part in parts)
        elif isinstance(value, int | float) and not (
            value == 0 or _LEAST <= abs(value) <= _GREATEST
        ):
            raise ValueError(f"it holds the number {value!r:.20}, which no run has")
    return content


def readable_json(data: bytes) -> bytes:
    """The same JSON with a sign instead of all that a terminal would obey, in its words.

    Raises:
        UnicodeDecodeError: it is no text.
    """
    text = (_ESCAPE.sub(_readable, data) if b"\\" in data else data).decode()
    obeyed = [one for one in set(text) if not (one.isprintable() or one in "\n\r\t")]
    return text.translate(dict.fromkeys(map(ord, obeyed), _INSTEAD)).encode()


def _readable(escape: re.Match[bytes]) -> bytes:
    whole = escape[0]
    if whole in _SPACES:
        return b" "
    code = int(escape[1], 16) if escape[1] else ord(" ")
    is_obeyed = whole in _BACK_AND_ON or not (code in _SURROGATES or chr(code).isprintable())
    return _INSTEAD.encode() if is_obeyed else whole
