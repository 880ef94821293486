"""What a scenario does beside its load, where data alone cannot say it: a file of its name.

`locustfiles/scenarios/<name>.py` (dashes as underscores) offers `companion(inputs)`; a scenario
without such a file has none. It runs in the leading process only.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from locustfiles.run.inputs import RunInputs


class Companion(Protocol):
    """Prepares the service for a scenario's load, and acts while it runs."""

    def prepare(self, check: Callable[[], None]) -> None:
        """Make what the load needs, before the start; `check` between steps may raise to stop.

        Raises:
            RunCutShort: the service did not take it.
        """
        ...

    def begin(self, second_zero_at: int) -> None:
        """Learn when second 0 will be (epoch seconds), before anything of the load is sent."""
        ...

    def end(self) -> None:
        """Stop what still runs; called once, however the run ends."""
        ...

    def facts(self) -> dict[str, Any]:
        """What it did and saw, for `scenario` in measurements.json; asked for at any time."""
        ...


class NoCompanion:
    """Of a scenario that is data alone."""

    def prepare(self, check: Callable[[], None]) -> None:
        """Nothing is needed."""

    def begin(self, second_zero_at: int) -> None:
        """Nothing happens in between."""

    def end(self) -> None:
        """Nothing runs."""

    def facts(self) -> dict[str, Any]:
        """Nothing was done."""
        return {}


def companion_of(inputs: RunInputs) -> Companion:
    """The companion of a run's scenario."""
    name = f"locustfiles.scenarios.{inputs.scenario.name.replace('-', '_')}"
    if find_spec(name) is None:
        return NoCompanion()
    made: Companion = import_module(name).companion(inputs)
    return made
