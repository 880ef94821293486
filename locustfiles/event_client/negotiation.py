"""Which version a client and a service have in common."""

import json
from collections.abc import Collection

from locustfiles.event_client.errors import NoCommonVersion, ServiceTrouble

VERSIONS_PATH = "/v1/events/versions"
FIRST_VERSION = 1
OK = 200
NOT_FOUND = 404


def event_path(version: int, event_id: str) -> str:
    """The path of an event's state; the id must be percent-encoded."""
    return f"/v{version}/events/{event_id}"


def chosen_version(known: Collection[int], status: int, body: bytes) -> int:
    """The newest version that both sides know, from the answer to the question for versions.

    A service that does not know the question is one from before there was a second version.

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
        raise ServiceTrouble(f"The question for versions was answered with {status}.")
    try:
        told = json.loads(body)
        return {one["version"] for one in told["versions"] if type(one["version"]) is int}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ServiceTrouble(f"The versions cannot be read: {error!r}.") from error
