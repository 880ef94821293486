"""Run the command line: `python -m reports`."""

import io
import sys

from reports.cli import main
from reports.output import with_output

for stream in (sys.stdout, sys.stderr):
    # A terminal without a sign such as ≤ gets a question mark, not a traceback.
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
sys.exit(with_output(lambda: main(sys.argv[1:])))
