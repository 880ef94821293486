"""Where things are kept inside this checkout."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Checkout:
    """The folders of one checkout; tests use one of their own."""

    root: Path

    @property
    def state(self) -> Path:
        """The git-ignored folder for the lock and the claim on this checkout."""
        return self.root / ".hotboard"

    @property
    def runs(self) -> Path:
        """The parent of all run directories."""
        return self.root / "reports" / "runs"

    @property
    def scenarios(self) -> Path:
        """The folder of the scenario files."""
        return self.root / "locustfiles" / "scenarios"


HERE = Checkout(Path(__file__).resolve().parent.parent)
