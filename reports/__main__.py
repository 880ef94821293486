"""Run the command line: `python -m reports`."""

import sys

from reports.cli import main

sys.exit(main(sys.argv[1:]))
