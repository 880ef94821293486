"""Drills whose fault is in the load itself: the clients, or the network, misbehave throughout."""

from dataclasses import dataclass

from lab.drills.fault import PlainFault, Scene
from workload.scenario import Scenario


@dataclass(frozen=True)
class WholeRun(PlainFault):
    """Breaks nothing of the stack; what goes wrong is a share of the submits, from start to end.

    `share` is that share's name below `[load]`, `what` happens to those submits.
    """

    share: str
    what: str

    def strike(self, scene: Scene) -> None:
        """Note the whole measured phase."""
        scene.clock.wait_until(0)
        with scene.fault(f"{100 * getattr(scene.load, self.share):g} % of the submits {self.what}"):
            scene.clock.wait_for_share(1)

    def missing(self, scenario: Scenario, duration_seconds: int) -> str | None:
        """A sentence about a load in which it never happens."""
        del duration_seconds
        if getattr(scenario.load, self.share):
            return None
        return f"{self.share}=0 leaves nothing that goes wrong: give a share above 0, or none."
