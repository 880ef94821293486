"""What a scenario does beside its load: prepare the service before it, act during it.

`locustfiles/scenarios/<name>.py` (dashes as underscores) offers `make_hooks(inputs)`; a scenario
without such a file has no hooks. They run in the master only.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from locustfiles.run.inputs import RunInputs


class ScenarioHooks(Protocol):
    """The hooks of one scenario, called in this order; `facts` at any time."""

    def prepare(self, check: Callable[[], None]) -> None:
        """Make what the load needs, before the start; `check` between steps may raise to stop.

        Raises:
            RunCutShort: the service did not take it.
        """
        ...

    def begin(self, second_zero_at: int) -> None:
        """Learn when second 0 will be (epoch seconds); no request of the load has been sent yet."""
        ...

    def end(self) -> None:
        """Stop what still runs; called once, however the run ends."""
        ...

    def facts(self) -> dict[str, Any]:
        """The content of `scenario` in measurements.json."""
        ...


class NoHooks:
    """The hooks of a scenario that is a TOML file alone."""

    def prepare(self, check: Callable[[], None]) -> None:
        """Nothing is needed."""

    def begin(self, second_zero_at: int) -> None:
        """Nothing begins."""

    def end(self) -> None:
        """Nothing runs."""

    def facts(self) -> dict[str, Any]:
        """Nothing is added."""
        return {}


def hooks_of(inputs: RunInputs) -> ScenarioHooks:
    """The hooks of a run's scenario."""
    name = f"locustfiles.scenarios.{inputs.scenario.name.replace('-', '_')}"
    if find_spec(name) is None:
        return NoHooks()
    made: ScenarioHooks = import_module(name).make_hooks(inputs)
    return made
