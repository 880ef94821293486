"""service-kill: the service dies with all requests that it was about to answer."""

from dataclasses import dataclass

from lab.drills.fault import PlainFault, Scene


@dataclass(frozen=True)
class ServiceKill(PlainFault):
    """Kills the service and its workers, and starts it again on the same ledger."""

    at_share: float = 0.3
    down_seconds: float = 1.0

    def strike(self, scene: Scene) -> None:
        """Kill it, let the clients meet a closed port for a while, and start it again."""
        scene.clock.wait_for_share(self.at_share)
        with scene.fault("the service killed, then started again"):
            scene.service.knock_out()
            try:
                scene.clock.pause(self.down_seconds)
            finally:
                scene.service.begin()
