"""Where Locust starts: the user classes, and the two events that set a run up.

    .venv/bin/python -m locust -f locustfiles/locustfile.py --headless --host http://127.0.0.1:8000

`--help` lists the options of a run among Locust's own.
"""

import sys
from pathlib import Path

# Locust loads this file by its path, from any directory: our packages lie beside its folder.
# Second place, because Locust removes the first one again when it has loaded the file.
sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from locust import events

from locustfiles.options import add_options
from locustfiles.run.locust_events import listen
from locustfiles.run.session import begin
from locustfiles.users import (
    AchievementsReader,
    AroundMeReader,
    BoundedRankReader,
    ColleaguesReader,
    CounterWriter,
    EventPlayerReader,
    EventPoller,
    ExactRankReader,
    OldEventPoller,
    Racer,
    ScoreWriter,
    TopKReader,
)

__all__ = [
    "AchievementsReader",
    "AroundMeReader",
    "BoundedRankReader",
    "ColleaguesReader",
    "CounterWriter",
    "EventPlayerReader",
    "EventPoller",
    "ExactRankReader",
    "OldEventPoller",
    "Racer",
    "ScoreWriter",
    "TopKReader",
]

listen(events.init_command_line_parser, add_options)
listen(events.init, begin)
