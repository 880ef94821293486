"""What the panel shows at one instant: plain values, from which the text follows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Title:
    """The run by name; the mode and the players are None where no board is touched."""

    scenario: str
    mode: str | None
    scale: str
    players: int | None


@dataclass(frozen=True)
class Phase:
    """Where the run is; `done` is a share, None where nobody can tell."""

    name: str
    done: float | None
    words: str


@dataclass(frozen=True)
class Figures:
    """One operation over some seconds; a percentile is None with too few answers behind it."""

    offered_per_second: float
    achieved_per_second: float
    p50_ms: float | None
    p99_ms: float | None


@dataclass(frozen=True)
class OperationRow:
    """One operation in its last seconds and in the measured phase; None before there are any."""

    name: str
    recent: Figures | None
    measured: Figures | None


@dataclass(frozen=True)
class Keys:
    """The hits of every key since the measured phase began, in the order of the model."""

    hits: tuple[tuple[str, int], ...]
    partitions: int

    @property
    def total(self) -> int:
        """The hits of all keys."""
        return sum(hits for _, hits in self.hits)

    @property
    def fair_share(self) -> float:
        """What each key would get if all that should share the load were equal."""
        return 1 / self.partitions

    def share(self, hits: int) -> float:
        """A key's part of all hits; nothing is known before the first."""
        return hits / self.total if self.total else 0.0


@dataclass(frozen=True)
class Trouble:
    """Requests of one phase that failed in one way, or were dropped, by operation."""

    kind: str
    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """The requests of all operations."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True)
class Snapshot:
    """Everything on the panel; troubles and waiting are of the current phase."""

    title: Title
    phase: Phase
    recent_seconds: int
    is_measured_whole: bool
    operations: tuple[OperationRow, ...]
    keys: Keys
    troubles: tuple[Trouble, ...]
    waiting: int

    @property
    def touches_boards(self) -> bool:
        """Whether the run is about boards at all."""
        return self.title.mode is not None

    @property
    def measured_words(self) -> str:
        """What the figures of the measured phase are of."""
        return "measured phase" if self.is_measured_whole else "measured phase so far"
