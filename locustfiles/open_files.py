"""Files that may be open at a time, here and in the service: each connection is one in both."""

import resource
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from locustfiles.plan import Plan

# What macOS takes at most where its hard limit says "any number".
_ALWAYS_TAKEN: Final = 10_240
# What a process has open beside its connections, generously.
_OWN: Final = 64


def raise_limit() -> None:
    """Raise the soft limit, often 1,024 or 256, to what the system lets everybody have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft in {hard, resource.RLIM_INFINITY}:
        return
    for wanted in (hard, max(soft, _ALWAYS_TAKEN)):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return


def too_many_connections(plan: Plan, service: Mapping[str, Any] | None) -> list[str]:
    """Sentences about connections that this process, or the service as it says, cannot hold."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    ours = None if soft == resource.RLIM_INFINITY else soft
    theirs = service.get("open_files") if service else None
    operations = len(plan.rates)
    problems = []
    for holder, each, limit, or_else in (
        ("a load worker", plan.connections(), ours, ", or take more workers"),
        ("the service", max(plan.load.connections, plan.slices), theirs, ""),
    ):
        wanted = operations * each
        if isinstance(limit, int) and wanted > limit - _OWN:
            problems.append(
                f"{operations} operations with {each:,} connections each are {wanted:,} in "
                f"{holder}, which may have {limit:,} files open, some {_OWN} of them its own: "
                f"lower --set connections=..., raise the limit where it is started (ulimit -n)"
                f"{or_else}."
            )
    return problems
