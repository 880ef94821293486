"""The kind of failure that an HTTP status means."""

from locustfiles.failure import FailureKind


def failure_of_status(status: int) -> FailureKind:
    """The kind for a status that is no success of the operation."""
    match status // 100:
        case 4:
            return "http_4xx"
        case 5:
            return "http_5xx"
        case _:
            return "other"
