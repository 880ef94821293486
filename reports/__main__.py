"""Run the command line: `python -m reports`."""

import io
import sys

from reports.cli import main

for stream in (sys.stdout, sys.stderr):
    # A terminal without a sign such as ≤ gets a question mark, not a traceback.
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
sys.exit(main(sys.argv[1:]))
