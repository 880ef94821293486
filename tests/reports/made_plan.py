"""What kind of run to make up."""

from dataclasses import dataclass, field

REGIONS = ("na-east", "na-west", "eu", "apac")
MODES = ("solo", "duo", "squad")
PARTITIONS = tuple(f"lb:{region}:{mode}:s1" for region in REGIONS for mode in MODES)
GLOBAL_KEY = "lb:global:all:s1"
MODEL_RATES = {"submit": 240_000, "top": 25_000, "around": 75_000}


@dataclass(frozen=True)
class Plan:
    """What kind of run to make."""

    mode: str = "partitioned"
    scale: float = 0.001
    duration_seconds: int = 20
    seed: int = 7
    stamp: str = "20260906T120000Z"
    shares: tuple[float, ...] = (1 / 12,) * 12
    popularity: str = "uniform"
    stall: tuple[float, float] | None = None
    failing: tuple[float, float] | None = None
    failure_kind: str = "http_5xx"
    ended: str = "completed"
    cut_at: int | None = None
    end_reason: str | None = None
    workers: int = 1
    silent_workers: int = 0
    cpu_ratio: float = 0.31
    lateness_us: int = 300
    keys_reason: str | None = None
    audited: bool = True
    audit_holds: bool = True
    foreign: bool = False
    rates: dict[str, int] = field(default_factory=lambda: dict(MODEL_RATES))

    @property
    def run_id(self) -> str:
        """The name of the run's directory."""
        return f"{self.stamp}-peak-{self.mode}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The Redis keys that serve the boards."""
        return (GLOBAL_KEY,) if self.mode == "naive" else PARTITIONS

    @property
    def measured_seconds(self) -> int:
        """How much of the measured phase takes place."""
        return self.duration_seconds if self.cut_at is None else self.cut_at
