"""run.json: what was asked for, where, and with which inputs."""

from typing import Annotated, Any, NamedTuple

import msgspec

from reports.wording import ledger_words, scale_of

SCHEMA_VERSION = 1
# A day, the most that a command takes; a row for each second of more would fill the memory.
LONGEST_SECONDS = 86_400

Amount = Annotated[float, msgspec.Meta(ge=0)]


class OperationRate(msgspec.Struct, frozen=True):
    """The rate of one operation: of the whole model, and of this run (times the scale).

    An operation that comes in waves is sent in some of the measured seconds only.
    """

    model_per_second: Amount
    per_second: Amount
    seconds: Amount | None = None

    def offered(self, measured_seconds: float) -> float:
        """How many requests should be offered in the measured phase."""
        return self.per_second * (measured_seconds if self.seconds is None else self.seconds)


class Model(msgspec.Struct, frozen=True):
    """The traffic model's inputs and the figures derived from them."""

    assumptions: dict[str, Any] = {}
    fixed: list[str] = []
    unused: list[str] = []
    derived: dict[str, Any] = {}
    operations: dict[str, OperationRate] = {}
    modelled_mix: bool = True
    needs_boards: bool = True
    partition_shares: dict[str, Amount] = {}


class ReadSetting(NamedTuple):
    """How one kind of read is answered, and whether the run sends any of it."""

    value: str
    read: str
    is_used: bool

    @property
    def words(self) -> str:
        """The value; it says so where it could have no effect."""
        return self.value if self.is_used else f"{self.value} (no {self.read} sent)"


class Service(msgspec.Struct, frozen=True):
    """What the service said of itself before the run."""

    mode: str | None = None
    ledger: str | None = None
    ledger_sync: str | None = None
    season: str | None = None
    partitions: list[str] = []
    keys: list[str] = []
    boards: dict[str, str] = {}
    capabilities: dict[str, Any] = {}
    limits: dict[str, Any] = {}
    redis: dict[str, Any] | None = None
    service: dict[str, Any] | None = None

    @property
    def top(self) -> str | None:
        """How the global top is made; None when the service did not tell."""
        if "materialised_top" not in self.capabilities:
            return None
        return "materialised" if self.capabilities["materialised_top"] else "live"

    @property
    def rank_limit(self) -> Any:  # noqa: ANN401  as a service told it
        """How many exact ranks it computes a second; None when it did not tell."""
        return self.limits.get("exact_ranks_per_second")


class Facts(msgspec.Struct, frozen=True):
    """One run.json; only what names the run is required, so that a partial file still reads."""

    run_id: str
    scenario: str
    mode: str
    scale: Annotated[float, msgspec.Meta(gt=0)]
    duration_seconds: Annotated[float, msgspec.Meta(gt=0, le=LONGEST_SECONDS)]
    schema_version: int = SCHEMA_VERSION
    description: str = ""
    seed: int | None = None
    players: int | None = None
    popularity: Any = None
    warmup_seconds: Amount | None = None
    workers: int | None = None
    started_at: str | None = None
    measured_from: str | None = None
    measured_to: str | None = None
    ended_at: str | None = None
    model: Model = Model()
    load: dict[str, Any] = {}
    objectives: dict[str, Any] = {}
    host: dict[str, Any] = {}
    versions: dict[str, Any] = {}
    git_revision: str | None = None
    git_dirty: bool | None = None
    target: str | None = None
    stack: str | None = None
    foreign: bool = False
    service: Service | None = None
    command: str | None = None
    warnings: list[str] = []

    @property
    def title(self) -> str:
        """The run by name; the mode is one of boards, and means nothing where none is touched."""
        return f"{self.scenario}, {self.mode}" if self.model.needs_boards else self.scenario

    @property
    def stack_words(self) -> str | None:
        """What was loaded; None when Locust was started by hand, or by an older version."""
        if self.foreign:
            return "a service that is not ours"
        return f"the {self.stack} stack" if self.stack else None

    @property
    def rates_of(self) -> str:
        """Whose rates were sent: those of the model, or those that the scenario gives itself."""
        return "model" if self.model.modelled_mix else "scenario"

    @property
    def scale_words(self) -> str:
        """The scale, and what it is a part of."""
        return scale_of(self.scale, modelled_mix=self.model.modelled_mix)

    @property
    def fair_keys(self) -> int | None:
        """How many keys should share the load: one for each partition, whatever the mode."""
        partitions = len(self.service.partitions) if self.service else 0
        return partitions or len(self.model.partition_shares) or None

    @property
    def ledger_words(self) -> str | None:
        """What is to be said of the service's ledger; None when it told nothing of it."""
        return ledger_words(self.service.ledger, self.service.ledger_sync) if self.service else None

    @property
    def read_settings(self) -> dict[str, ReadSetting]:
        """How ranked reads are answered, by variable."""
        service = self.service or Service()
        found = {"TOP": (service.top, "top"), "RANK_LIMIT": (service.rank_limit, "rank_exact")}
        return {
            name: ReadSetting(str(value), read, self._sends(read))
            for name, (value, read) in found.items()
            if value is not None
        }

    def _sends(self, operation: str) -> bool:
        rate = self.model.operations.get(operation)
        return rate is not None and rate.per_second > 0

    @property
    def board_keys(self) -> list[str]:
        """The Redis keys that serve the boards, in the service's order."""
        return list(self.service.keys) if self.service else []
