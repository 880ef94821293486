"""What every command of the terminal lab is given."""

from contextlib import AbstractContextManager
from dataclasses import dataclass

from lab.session import Session
from lab.terminal.bench import Bench, bench
from lab.variables import Variables
from workload.assumptions import Assumptions
from workload.model import TrafficModel


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

    def bench(self, mode: str) -> AbstractContextManager[Bench]:
        """A fresh stack in one mode, up while the block runs."""
        return bench(mode, self.variables, self.assumptions, self.session)
