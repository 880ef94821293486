"""What the lab is doing, beside the reports."""

import sys


def progress(step: str) -> None:
    """Name a step that takes a while, on stderr: stdout holds the reports alone."""
    print(f"... {step}", file=sys.stderr, flush=True)
