"""`python -m lab.guard TOKEN`: ends the parts of a lab that was killed, as soon as it is gone.

It waits for the other end of its standard input to be closed, which the system does however the
lab dies. What Linux alone has for this, PR_SET_PDEATHSIG, follows the thread that began a part, and
a drill begins Redis again in one that ends before the run does.
"""

import sys

from lab.stack.checkout_lock import end_processes


def main() -> int:
    """Wait for the end of the lab; one that ends by itself ends its guard first."""
    sys.stdin.buffer.read()
    end_processes(sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
