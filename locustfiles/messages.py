"""The messages between master and workers; in one process they call each other the same way.

worker → master: present (the user instances it holds), ready (connections are open),
                 delta (what was counted, each second, and how things are now),
                 final (the last delta)
master → worker: plan, go (the start instant), stop
"""

from typing import Final

PRESENT: Final = "hotboard-present"
READY: Final = "hotboard-ready"
DELTA: Final = "hotboard-delta"
FINAL: Final = "hotboard-final"

PLAN: Final = "hotboard-plan"
GO: Final = "hotboard-go"
STOP: Final = "hotboard-stop"
