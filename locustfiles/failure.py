"""The closed set of ways in which a request can fail."""

from typing import Final, Literal

FailureKind = Literal[
    "timeout",
    "refused",
    "reset",
    "http_4xx",
    "http_5xx",
    "redis_readonly",
    "redis_noperm",
    "redis_oom",
    "redis_refused",
    "bad_body",
    "other",
]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = (
    "timeout",
    "refused",
    "reset",
    "http_4xx",
    "http_5xx",
    # a 5xx whose problem document says what Redis refused with
    "redis_readonly",
    "redis_noperm",
    "redis_oom",
    "redis_refused",
    "bad_body",
    "other",
)


class ExchangeFailed(Exception):
    """A request that got no whole answer; once bytes were written its outcome is unknown."""

    def __init__(self, kind: FailureKind, *, written: bool) -> None:
        super().__init__(kind)
        self.kind: FailureKind = kind
        self.written = written
