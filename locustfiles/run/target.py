"""The service's description of itself, and whether it agrees with the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from locustfiles.errors import UNREADABLE, BadInput
from locustfiles.http.attempt import get
from locustfiles.http.connection import LARGEST_BYTES, Connection
from locustfiles.http.dialer import Dialer
from workload.assumptions import Assumptions
from workload.load import LoadSettings
from workload.model import partition_keys

_SECONDS: Final = 10.0
_ROUTE: Final = "/v1/boards"
_MISDIRECTED: Final = 421
_REASONS: Final = {
    "refused": "nothing listens there",
    "timeout": f"no answer within {_SECONDS:g} s",
    "reset": "the connection was closed without an answer",
    "bad_body": f"its answer is longer than {LARGEST_BYTES:,} bytes",
    "other": "no connection, a certificate that is not trusted, or no HTTP",
}


class Limits(msgspec.Struct, frozen=True):
    """What the service accepts; ranges include both ends."""

    k: tuple[int, int]
    window: tuple[int, int]
    batch_events: int
    id_characters: int
    body_bytes: int = 1_000_000


class Boards(msgspec.Struct, frozen=True):
    """The part of the description that a run and its report depend on."""

    mode: str
    regions: list[str]
    modes: list[str]
    seasons: list[str]
    partitions: list[str]
    boards: dict[str, str]
    limits: Limits
    redis: dict[str, Any] | None = None
    keys: list[str] = []
    ledger: str | None = None
    ledger_sync: str | None = None
    season: str | None = None
    capabilities: dict[str, Any] = {}
    service: dict[str, Any] | None = None


@dataclass(frozen=True)
class Description:
    """The service's answer: the parts that are read, and the whole document."""

    boards: Boards
    verbatim: dict[str, Any]


def read_description(dialer: Dialer) -> Description:
    """Read the service's description of its boards.

    Raises:
        BadInput: it does not answer, or not with a description.
    """
    url = dialer.address.url + _ROUTE
    connection = Connection(dialer)
    outcome = get(connection, dialer.address, _ROUTE, _SECONDS)
    connection.close()
    if outcome.failure is not None:
        reason = _REASONS.get(outcome.failure, outcome.failure)
        raise BadInput(
            f"{url} does not answer ({reason}): start the service first, "
            "or name another one with --host."
        )
    if outcome.status == _MISDIRECTED:
        raise BadInput(
            f"{url} answers {outcome.status}: the service is not known by that host name; start it "
            f"with HOTBOARD_ALLOWED_HOSTS={dialer.address.host}."
        )
    if not outcome.is_ok:
        raise BadInput(f"{url} answers {outcome.status}: a service to be loaded describes itself.")
    try:
        return Description(
            msgspec.json.decode(outcome.body, type=Boards), msgspec.json.decode(outcome.body)
        )
    except UNREADABLE as error:
        raise BadInput(f"{url} does not describe a leaderboard service: {error}.") from None


def disagreements(boards: Boards, assumed: Assumptions, load: LoadSettings) -> list[str]:
    """Everything in which the service and the model differ, as sentences."""
    problems = [
        problem
        for name, theirs, ours in (
            ("regions", boards.regions, assumed.regions),
            ("modes", boards.modes, assumed.modes),
            ("seasons", boards.seasons, assumed.active_seasons),
        )
        if (problem := _difference(name, theirs, ours))
    ]
    if not all(map(str.isprintable, boards.boards.values())):
        problems.append("The service names keys that cannot be printed.")
    keys = partition_keys(assumed)
    if not problems and (
        set(boards.partitions) != set(keys) or not set(keys) <= set(boards.boards)
    ):
        problems.append(
            f"The service lists {len(boards.partitions)} partitions with {len(boards.boards)} "
            f"boards, which are not the {len(keys)} partitions of the model."
        )
    for name, value, (least, most) in (
        ("k", load.k, boards.limits.k),
        ("window", load.window, boards.limits.window),
    ):
        if not least <= value <= most:
            problems.append(
                f"The service takes a {name} of {least} to {most}; the scenario asks for {value}: "
                f"change it with --set {name}=..."
            )
    return problems


def _difference(name: str, theirs: Sequence[str], ours: Sequence[str]) -> str | None:
    if set(theirs) == set(ours):
        return None
    setting = "active_seasons" if name == "seasons" else name
    return (
        f"The service has the {name} {', '.join(theirs)}; the model has {', '.join(ours)}: "
        f"configure the service alike, or change the model with --set {setting}=..."
    )
