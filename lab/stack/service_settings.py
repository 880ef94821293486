"""What the lab tells a service it starts, and which boards that service has."""

from lab.cli.variables import Variables
from workload.assumptions import Assumptions
from workload.model import global_key, partition_keys


def service_settings(variables: Variables, assumptions: Assumptions) -> dict[str, str]:
    """The environment that is the same wherever the service runs; addresses come on top."""
    return {
        "HOTBOARD_MODE": variables.mode,
        "HOTBOARD_TOP": variables.top,
        "HOTBOARD_RANK_LIMIT": str(variables.rank_limit),
        "HOTBOARD_LEDGER": variables.ledger,
        "HOTBOARD_LEDGER_SYNC": variables.ledger_sync,
        "HOTBOARD_ODOMETER_READS": variables.odometer_reads,
        "HOTBOARD_REGIONS": ",".join(assumptions.regions),
        "HOTBOARD_MODES": ",".join(assumptions.modes),
        "HOTBOARD_SEASONS": ",".join(assumptions.active_seasons),
        "HOTBOARD_WORKERS": str(variables.service_workers),
    }


def served_keys(mode: str, assumptions: Assumptions) -> list[str]:
    """The Redis keys of the boards of one mode."""
    if mode == "naive":
        return [global_key(season) for season in assumptions.active_seasons]
    return list(partition_keys(assumptions))


def board_keys(assumptions: Assumptions) -> list[str]:
    """The Redis keys of all boards, of both modes."""
    global_keys = [global_key(season) for season in assumptions.active_seasons]
    return [*partition_keys(assumptions), *global_keys]


def describe_ledger(variables: Variables) -> str:
    """What is to be said of the ledger beside every figure."""
    if variables.ledger == "none":
        return "LEDGER=none: nothing outlives Redis"
    return f"ledger {variables.ledger}, LEDGER_SYNC={variables.ledger_sync}"
