"""A small client of community events: it agrees on a version and ignores unknown fields."""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol
from urllib.parse import quote

VERSIONS_PATH = "/v1/events/versions"
UNKNOWN_EVENT = "urn:hotboard:problem:unknown-event"
FIRST_VERSION = 1
OK = 200
NOT_FOUND = 404
_CHUNK_BYTES = 65_536
_LARGEST_BYTES = 1_000_000
_BEHIND_AT_MOST = timedelta(minutes=1)


class EventClientError(Exception):
    """The base of everything the client raises on purpose."""


class NoCommonVersion(EventClientError):
    """The service offers no version that this build reads: the build is too old, or too new."""


class UnknownEvent(EventClientError):
    """There is no such event."""


class ServiceTrouble(EventClientError):
    """The service gave no usable answer."""


def event_path(version: int, event_id: str) -> str:
    """The path of an event's state; the id must be percent-encoded."""
    return f"/v{version}/events/{event_id}"


def chosen_version(known: Collection[int], status: int, body: bytes) -> int:
    """The newest version that both sides know, from the answer of VERSIONS_PATH.

    A service without that route is from before there was a second version.

    Raises:
        NoCommonVersion: there is none.
        ServiceTrouble: the answer makes no sense.
    """
    offered = {FIRST_VERSION} if status == NOT_FOUND else _offered(status, body)
    common = offered & set(known)
    if not common:
        raise NoCommonVersion(
            f"The service offers versions {sorted(offered)}, this build reads {sorted(known)}."
        )
    return max(common)


def _offered(status: int, body: bytes) -> set[int]:
    if status != OK:
        raise ServiceTrouble(f"The versions were answered with {status}.")
    try:
        document = json.loads(body)
        return {one["version"] for one in document["versions"] if type(one["version"]) is int}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ServiceTrouble(f"The versions cannot be read: {error!r}.") from error


@dataclass(frozen=True)
class EventState:
    """The fields of every version, and those of later ones (empty in an older one)."""

    event_id: str
    version: int
    state: str
    total: int
    tier: str | None
    as_of: datetime
    is_final: bool
    unit: str = ""
    missing: Mapping[str, int] | None = None
    capabilities: frozenset[str] = frozenset()

    def staleness_seconds(self, now: datetime) -> float:
        """How old the total is; a final one does not change and has no age."""
        return 0.0 if self.is_final else (now - self.as_of).total_seconds()


def read_state(version: int, body: bytes) -> EventState:
    """The state in an answer of this version; unknown fields are ignored.

    Raises:
        ServiceTrouble: something that this version promises is missing or of another type.
    """
    try:
        return _READERS[version](json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ServiceTrouble(f"The event cannot be read: {error!r}.") from error


def _read_v1(document: Mapping[str, Any]) -> EventState:
    return EventState(
        event_id=str(document["event_id"]),
        version=1,
        state=str(document["state"]),
        total=_whole_number(document["total"]),
        tier=document["tier"],
        as_of=datetime.fromisoformat(document["as_of"]),
        is_final=document["state"] == "closed",
    )


def _read_v2(document: Mapping[str, Any]) -> EventState:
    return EventState(
        event_id=str(document["event_id"]),
        version=2,
        state=str(document["state"]),
        total=_whole_number(document["total"]),
        tier=document["tier"],
        as_of=datetime.fromisoformat(document["as_of"]),
        is_final=document["final"] is not None,
        unit=str(document["aggregate"]["unit"]),
        missing={str(one["name"]): _whole_number(one["missing"]) for one in document["tiers"]},
        capabilities=frozenset(map(str, document["capabilities"])),
    )


def _whole_number(value: object) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


_READERS: Mapping[int, Callable[[Mapping[str, Any]], EventState]] = {1: _read_v1, 2: _read_v2}
KNOWN_VERSIONS = frozenset(_READERS)


class Transport(Protocol):
    """Sends a GET."""

    def get(self, path: str) -> tuple[int, bytes]:
        """The status and the body of the answer; raises OSError when there is none."""
        ...


class UrlTransport:
    """Sends GETs with urllib."""

    def __init__(self, base_url: str, timeout_seconds: float = 5.0) -> None:
        self._base_url = base_url.rstrip("/")
        self._timeout_seconds = timeout_seconds

    def get(self, path: str) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        url, end = self._base_url + path, time.monotonic() + self._timeout_seconds
        try:
            with urllib.request.urlopen(url, timeout=self._timeout_seconds) as answer:  # noqa: S310  the caller's own address
                return answer.status, _read_body(answer, end)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _read_body(error, end)
        except http.client.HTTPException as error:
            raise OSError(f"it is no whole answer of HTTP ({type(error).__name__})") from error


def _read_body(answer: Any, end: float) -> bytes:  # noqa: ANN401  of urllib, which has no common type
    """A body, as long as it has an end in time and in size."""
    body = b""
    while part := answer.read1(_CHUNK_BYTES):
        body += part
        if len(body) > _LARGEST_BYTES or time.monotonic() > end:
            raise OSError("its answer does not end")
    return body


class EventClient:
    """Agrees with the service on a version, and again when the service stops offering it.

    A state that it returns is never followed by an older one.

    Args:
        transport: how it reaches the service.
        reads: the versions that this build reads; an old build reads fewer.
    """

    def __init__(self, transport: Transport, reads: Collection[int] = KNOWN_VERSIONS) -> None:
        self._transport = transport
        self._reads = frozenset(reads)
        self._version: int | None = None
        self._newest: dict[str, EventState] = {}

    def event(self, event_id: str) -> EventState:
        """The event's state.

        Raises:
            UnknownEvent: there is no such event.
            NoCommonVersion: the service offers no version that this build reads.
            ServiceTrouble: there was no usable answer.
        """
        version, is_new = self._agreed()
        status, body = self._get(event_path(version, quote(event_id, safe="")))
        if status == NOT_FOUND and not _names_no_event(body) and not is_new:
            # The service was replaced by an older one, which is no reason to fail.
            self._version = None
            return self.event(event_id)
        if status == NOT_FOUND and _names_no_event(body):
            raise UnknownEvent(f"There is no event {event_id}.")
        if status != OK:
            raise ServiceTrouble(f"Event {event_id} was answered with {status}.")
        return self._newest_state(read_state(version, body))

    def _newest_state(self, state: EventState) -> EventState:
        """The newest state so far: a worker of the service may answer with an older one.

        One that is older by more than a minute is taken: a clock or a backup was put back.
        """
        newest = self._newest.get(state.event_id)
        behind = newest.as_of - state.as_of if newest else timedelta()
        if newest and timedelta() < behind <= _BEHIND_AT_MOST:
            return newest
        self._newest[state.event_id] = state
        return state

    def _agreed(self) -> tuple[int, bool]:
        """The version to use, and whether it was agreed on just now."""
        if self._version is not None:
            return self._version, False
        self._version = chosen_version(self._reads, *self._get(VERSIONS_PATH))
        return self._version, True

    def _get(self, path: str) -> tuple[int, bytes]:
        try:
            return self._transport.get(path)
        except OSError as error:
            raise ServiceTrouble(f"The service does not answer: {error}.") from error


def _names_no_event(body: bytes) -> bool:
    try:
        problem = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(problem, dict) and problem.get("type") == UNKNOWN_EVENT
