"""The environment that compose.yaml is filled in from."""

import os
from collections.abc import Mapping

from lab.service_settings import service_settings
from lab.variables import Variables
from workload.assumptions import Assumptions

# Inside the container; on tmpfs, as the files are written at every request.
_METRICS_FOLDER = "/tmp/metrics"  # noqa: S108  the container has it to itself
_LEDGERS_FOLDER = "/ledgers"
_MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
# What no variable of make decides is taken from the shell, as an embedded service would.
HANDED_ON = frozenset(
    f"HOTBOARD_{name}"
    for name in (
        "REDIS_TIMEOUT_SECONDS",
        "TOP_INTERVAL_SECONDS",
        "EVENTS_PATH",
        "ALLOWED_HOSTS",
        "ACHIEVEMENTS_ZONE",
        "ACHIEVEMENTS_RECONCILE_AT",
        "ACHIEVEMENTS_SWEEP_AT",
    )
)


def compose_environment(
    variables: Variables,
    assumptions: Assumptions,
    ports: Mapping[str, int] | None = None,
    ledger: str = "ledger.db",
) -> dict[str, str]:
    """The present environment with the service's settings, which no stray of the shell replaces.

    `ledger` names the file in the ledgers' volume; a run has one of its own.
    `ports` are those of containers that are up already: a run must not move them.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in HANDED_ON or not (name.startswith("HOTBOARD_") or name == _MULTIPROCESS)
    }
    chosen = {
        "SERVICE_PORT": variables.service_port,
        "REDIS_PORT": variables.redis_port,
        "PROMETHEUS_PORT": variables.prometheus_port,
        "GRAFANA_PORT": variables.grafana_port,
        **(ports or {}),
    }
    settings = service_settings(variables, assumptions)
    if variables.ledger != "none":
        settings["HOTBOARD_LEDGER_PATH"] = f"{_LEDGERS_FOLDER}/{ledger}"
    if variables.service_workers > 1:
        settings[_MULTIPROCESS] = _METRICS_FOLDER
    return kept | settings | {name: str(port) for name, port in chosen.items()}
