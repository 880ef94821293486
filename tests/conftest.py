"""What holds for every test."""

import os
import signal
import sys

from hypothesis import settings

from lab.variables import Variables

# On a busy machine one example may take any time; no test here is about its own speed.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Hundreds of processes are started here; with this set each would compile all our code again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# `make test SERVICE_PORT=...` is no wish of the tests, which choose for themselves.
for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", *map(str.upper, Variables.model_fields)):
    os.environ.pop(name, None)

# Under nohup or in the background these come in ignored, and every process of a test would
# inherit that; the tests are about how such signals are heard.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
