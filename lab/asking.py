"""Asks a service for a small JSON document, within a time, whatever the other side sends."""

import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any

_SECONDS = 5.0
_LARGEST_BYTES = 8_000_000
_CHUNK_BYTES = 65_536


class NoAnswer(Exception):
    """No document came; says why."""


class Refused(NoAnswer):
    """The other side refuses, with a status."""

    def __init__(self, said: str, status: int) -> None:
        super().__init__(said)
        self.status = status


def ask_json(url: str, method: str = "GET") -> Any:  # noqa: ANN401  whatever the other side says
    """The document at an address, of any kind.

    Raises:
        Refused: the other side does not want to.
        NoAnswer: nobody answers, or not with JSON, or it takes too long.
    """
    try:
        return json.loads(_body(url, method))
    except urllib.error.HTTPError as refusal:
        raise Refused(_refusal(refusal), refusal.code) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(plain_words(error)) from None
    except RecursionError:
        raise NoAnswer("its JSON is nested too deeply") from None


def plain_words(error: Exception) -> str:
    """What went wrong, without the words around it that only a programmer knows."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    told = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return told.strip().rstrip(".") or type(cause).__name__


def _refusal(error: urllib.error.HTTPError) -> str:
    """What a problem document says, or else the status."""
    try:
        detail = json.loads(error.read(_LARGEST_BYTES))["detail"]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, RecursionError):
        detail = None
    return detail.rstrip(".") if isinstance(detail, str) else str(error).strip().rstrip(".")


def _body(url: str, method: str) -> bytes:
    """The whole body: each read has a timeout of its own, and all of them together have one."""
    end = time.monotonic() + _SECONDS
    body = b""
    request = urllib.request.Request(url, method=method)  # noqa: S310  checked to be http or https
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310  the same
        while part := answer.read1(_CHUNK_BYTES):
            body += part
            if time.monotonic() > end:
                raise TimeoutError(f"it was not whole after {_SECONDS:g} s")
            if len(body) > _LARGEST_BYTES:
                raise ValueError(f"it is longer than {_LARGEST_BYTES:,} bytes")
    return body
