"""disk-full: no file of the service may grow any more."""

from dataclasses import dataclass

import psutil

from lab.drills.fault import PlainFault, Scene
from lab.errors import PartFailed
from lab.stack.process import Part

# Below what the ledger's files have after loading, above what a log needs.
_LIMIT_BYTES = 65_536


@dataclass(frozen=True)
class DiskFull(PlainFault):
    """Sets a file-size limit on the running service; the disk seems full to it.

    Not lifted, the limit stays until the load is over: then somebody makes room.
    """

    is_lifted: bool = True
    at_share: float = 0.3
    to_share: float = 0.6

    def strike(self, scene: Scene) -> None:
        """Set the limit, and lift it at its time or after the load."""
        scene.clock.wait_for_share(self.at_share)
        when = "lifted during the load" if self.is_lifted else "lifted after the load"
        with scene.fault(f"the ledger's disk full (file-size limit, {when})"):
            _limit(scene.service, _LIMIT_BYTES)
            try:
                scene.clock.wait_for_share(self.to_share if self.is_lifted else 1)
                if not self.is_lifted:
                    scene.clock.wait_for_end()
            finally:
                _limit(scene.service, None)


def _limit(service: Part, size: int | None) -> None:
    """Limit the files of the service and its workers; None lifts the limit."""
    if service.process is None:
        raise PartFailed("The service was not started.")
    try:
        head = psutil.Process(service.process.pid)
        for process in (head, *head.children(recursive=True)):
            _, most = process.rlimit(psutil.RLIMIT_FSIZE)
            process.rlimit(psutil.RLIMIT_FSIZE, (most if size is None else size, most))
    except psutil.Error as error:
        raise PartFailed(f"The service cannot be limited: {error}.") from error
