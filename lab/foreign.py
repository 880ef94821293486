"""A service of somebody else's: asked what it is before it is loaded."""

from dataclasses import dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from lab.asking import NoAnswer, ask_json
from lab.errors import PartFailed, UsageError
from lab.stack import Processes


@dataclass(frozen=True)
class ForeignStack:
    """A stack of which the lab knows the address of the service and no more."""

    service_url: str
    redis_url: str = ""

    def failure(self) -> str | None:
        """Nothing can be told; the generator sees when nobody answers."""
        return None

    def service_processes(self) -> Processes:
        """Out of reach."""
        raise PartFailed("The processes of a service that is not ours are out of reach.")


def unused_proxy(target: str) -> str | None:
    """A sentence when the shell names a proxy for TARGET, which nothing of a run goes through."""
    parts = urlsplit(target)
    proxy = getproxies().get(parts.scheme)
    if not proxy or proxy_bypass(parts.netloc):
        return None
    return (
        f"Load and questions go straight to {target}: {parts.scheme}_proxy is set, "
        "and no proxy is measured."
    )


def require_mode(target: str, mode: str) -> None:
    """Make sure that TARGET serves the mode the command names.

    Raises:
        UsageError: it does not answer `GET /v1/boards`, or serves another mode.
    """
    try:
        told = ask_json(f"{target}/v1/boards")
    except NoAnswer as error:
        raise UsageError(f"TARGET={target} does not answer GET /v1/boards: {error}.") from None
    served = told.get("mode") if isinstance(told, dict) else None
    if served != mode:
        raise UsageError(
            f"TARGET={target} serves mode {served!r}: use `make load-{served}`."
            if served in {"naive", "partitioned"}
            else f"TARGET={target} serves mode {served!r}, which is neither naive nor partitioned."
        )
