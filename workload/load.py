"""How a run sends its requests: connections, patience and page sizes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Final

from workload.assumptions import InvalidWorkload
from workload.fields import Field, Number, WholeNumber, field_problems

LOAD_FIELDS: Final[Mapping[str, Field]] = MappingProxyType(
    {
        "connections": WholeNumber(1, 10_000),
        "deadline_seconds": Number(0, 60, low_allowed=False),
        "request_timeout_seconds": Number(0, 60, low_allowed=False),
        # The service's own limits.
        "k": WholeNumber(1, 1_000),
        "window": WholeNumber(1, 50),
        "resent_share": Number(0, 0.5),
        "overtaken_share": Number(0, 0.5),
        "wave_seconds": WholeNumber(0, 3_600),
    }
)


@dataclass(frozen=True)
class LoadSettings:
    """The settings of the load generator; connections are per operation, over all workers."""

    connections: int = 48
    deadline_seconds: float = 10.0
    request_timeout_seconds: float = 10.0
    k: int = 10
    window: int = 2
    resent_share: float = 0.0
    overtaken_share: float = 0.0
    wave_seconds: int = 0

    @property
    def has_reordering(self) -> bool:
        """Whether some submits repeat an event, or come after a newer one of their player."""
        return bool(self.resent_share or self.overtaken_share)

    def __post_init__(self) -> None:
        problems = load_problems(asdict(self))
        if problems:
            raise InvalidWorkload(tuple(problems))


def load_problems(values: Mapping[str, object]) -> list[str]:
    """List everything wrong with a full set of load settings, as sentences."""
    wrong = field_problems(LOAD_FIELDS, values)
    return [problem for sentences in wrong.values() for problem in sentences]
