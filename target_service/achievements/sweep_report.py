"""What a sweep did, in one line."""

from dataclasses import dataclass

from target_service.achievements.sweeps import Tally


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did; `resumed_after` is where one that died had got to, if one had."""

    night: str | None
    tally: Tally
    seconds: float
    resumed_after: str

    def __str__(self) -> str:
        tally = self.tally
        whose = f"night {self.night}" if self.night else "by hand"
        resumed = f", resumed after {self.resumed_after!r}" if self.resumed_after else ""
        failed = f", failed {tally.failed}" if tally.failed else ""
        return (
            f"sweep ({whose}{resumed}): scanned {tally.scanned}, changed {tally.changed}, "
            f"unchanged {tally.scanned - tally.changed - tally.failed}, "
            f"unlocked {tally.unlocked}{failed}, {self.seconds:.3f} seconds"
        )
