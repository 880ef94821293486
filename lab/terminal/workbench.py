"""What every command of the terminal lab is given."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lab.session import Session
from lab.terminal.bench import LEDGER, Bench, bench
from lab.terminal.progress import progress
from lab.variables import Variables
from workload.assumptions import Assumptions
from workload.model import TrafficModel

_DRILL: Final = MappingProxyType({"mode": "partitioned", "ledger": "sqlite", "redis_url": None})


@dataclass(frozen=True)
class Workbench:
    """The variables and assumptions of this use, and the way to a running stack."""

    variables: Variables
    assumptions: Assumptions
    session: Session

    @property
    def model(self) -> TrafficModel:
        """The traffic model that projected figures come from."""
        return TrafficModel(self.assumptions)

    @property
    def drilled(self) -> Variables:
        """What a drill runs on: twelve boards, a ledger, and a Redis that may be shut down."""
        return self.variables.model_copy(update=_DRILL)

    def bench(self, mode: str) -> AbstractContextManager[Bench]:
        """A fresh stack in one mode, up while the block runs."""
        chosen = self.variables.model_copy(update={"mode": mode, "ledger": LEDGER})
        return bench(chosen, self.assumptions, self.session)

    def drill_bench(self) -> AbstractContextManager[Bench]:
        """A fresh stack with a ledger, on a Redis server that is the lab's own in any case."""
        if self.variables.redis_url:
            progress("leaving REDIS_URL alone: the drill shuts its Redis down")
        return bench(self.drilled, self.assumptions, self.session)
