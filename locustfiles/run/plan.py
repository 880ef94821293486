"""The plan that the master sends each worker: everything that its slice depends on."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

from workload.arrivals import Schedule
from workload.assumptions import Assumptions
from workload.load import LoadSettings
from workload.operations import MODELLED, OPERATIONS
from workload.popularity import Popularity, make_popularity


@dataclass(frozen=True)
class Plan:
    """The whole run, and which slice of it one worker sends."""

    run_id: str
    target: str
    slice_index: int
    slices: int
    scale: str
    seed: int
    players: int
    duration_seconds: int
    warmup_seconds: int
    sequence_base: int
    player_prefix: str
    request_log: str
    assumptions: Assumptions
    load: LoadSettings
    # exact requests per second of each operation, over all slices, as texts of fractions
    rates: dict[str, str]

    def as_message(self) -> dict[str, Any]:
        """The plan in the plain types that a message between processes can hold."""
        return asdict(self)

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> "Plan":
        """The plan that a message holds."""
        assumed: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in message["assumptions"].items()
        }
        return cls(
            **{
                **message,
                "assumptions": Assumptions(**assumed),
                "load": LoadSettings(**message["load"]),
            }
        )

    @cached_property
    def rates_per_second(self) -> dict[str, Fraction]:
        """The exact requests per second of each operation, over all slices."""
        return {name: Fraction(rate) for name, rate in self.rates.items()}

    @property
    def needs_boards(self) -> bool:
        """Whether the run is about boards, so that players must stand on them before the load."""
        return any(OPERATIONS[name].needs_boards for name in self.rates)

    @cached_property
    def popularity(self) -> Popularity:
        """How often the requests name each player; made once for all operations of a process."""
        return make_popularity(self.assumptions, self.players, self.seed)

    def first_number(self, operation: str) -> int:
        """The number of an operation's first arrival, at the start of the warm-up."""
        return floor(-self.warmup_seconds * self.rates_per_second[operation])

    def longest_event_id(self) -> int:
        """How many characters the ids of this run's events have at most."""
        last = max(ceil(self.duration_seconds * rate) for rate in self.rates_per_second.values())
        first = min(map(self.first_number, self.rates_per_second))
        ends = (str(first), str(last), f"p{self.players}")
        return len(self.run_id) + len("-") + max(map(len, ends))

    def schedule(self, operation: str) -> Schedule:
        """When the requests of one operation are due, over all slices."""
        shape = OPERATIONS[operation]
        return Schedule(
            seed=self.seed,
            operation=operation,
            rate=self.rates_per_second[operation],
            popularity=self.popularity if shape.names_player else None,
            scores=shape.draws_score,
        )

    def connections(self) -> int:
        """The slice's share of an operation's connections; at least one."""
        share, rest = divmod(self.load.connections, self.slices)
        return max(share + (self.slice_index < rest), 1)

    def queue_length(self, operation: str) -> int:
        """How many of this slice's requests may wait: what falls due within the deadline."""
        due = Fraction(str(self.load.deadline_seconds)) * self.rates_per_second[operation]
        return max(ceil(due / self.slices), 1)

    def is_sent_in(self, operation: str, second: int) -> bool:
        """Whether a second has arrivals of an operation; those of the model never pause."""
        wave_seconds = self.load.wave_seconds
        if not wave_seconds or operation in MODELLED:
            return True
        return second >= 0 and second // wave_seconds % 2 == 1

    def seconds_sent(self, operation: str) -> int:
        """How many seconds of the measured phase have arrivals of an operation."""
        return sum(self.is_sent_in(operation, second) for second in range(self.duration_seconds))

    def is_measured(self, second: int) -> bool:
        """Whether a second of the schedule lies in the measured phase."""
        return 0 <= second < self.duration_seconds
