"""Drills whose fault is in the load itself: the clients, or the network, misbehave throughout."""

from dataclasses import dataclass

from lab.drills.fault import PlainFault, Scene


@dataclass(frozen=True)
class WholeRun(PlainFault):
    """Breaks nothing of the stack; what goes wrong is in the scenario, from start to end."""

    what: str

    def strike(self, scene: Scene) -> None:
        """Note the whole measured phase."""
        scene.clock.wait_until(0)
        with scene.fault(self.what):
            scene.clock.wait_for_share(1)
