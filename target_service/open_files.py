"""How many files a process may have open; each connection of a client is one."""

import resource
from contextlib import suppress

# What macOS takes at most where its hard limit says "any number".
_ALWAYS_TAKEN = 10_240


def raise_limit() -> None:
    """Raise the soft limit, often 1,024 or 256, to what the system lets everybody have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft in {hard, resource.RLIM_INFINITY}:
        return
    for wanted in (hard, max(soft, _ALWAYS_TAKEN)):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return


def limit() -> int | None:
    """Return how many there may be; None when the system sets no limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
