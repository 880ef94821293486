"""What was counted for a member before a run, the same in every run."""

from random import Random
from typing import Final

_SEED: Final = 20_260_906
_MOST_VIEWS: Final = 5_000


def history_of(player: int) -> dict[str, int]:
    """All six counters: few members have many views, and each step leaves fewer."""
    rng = Random(f"{_SEED}-{player}")
    views = int(_MOST_VIEWS * rng.random() ** 2)
    visitors = int(views * rng.uniform(0.3, 0.7))
    signups = int(visitors * rng.uniform(0, 0.05))
    organizations = int(signups * rng.uniform(0, 0.4))
    return {
        "page_views": views,
        "unique_visitors": visitors,
        "link_clicks": int(views * rng.uniform(0, 0.2)),
        "signups": signups,
        "organizations": organizations,
        "paid_accounts": int(organizations * rng.uniform(0, 0.5)),
    }
