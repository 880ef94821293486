"""All dashboards, in the order a user meets them; a new system adds its page here."""

from collections.abc import Callable
from typing import Final

from dashboards.grafana import (
    achievements,
    drills,
    generator,
    hot_keys,
    naive_against_partitioned,
    odometer,
)
from dashboards.grafana.page import Page

PAGES: Final[tuple[Callable[[], Page], ...]] = (
    hot_keys.page,
    naive_against_partitioned.page,
    generator.page,
    drills.page,
    odometer.page,
    achievements.page,
)


def file_name(page: Page) -> str:
    """Name the file of a dashboard after its title."""
    return f"{page.title.lower().replace(' ', '-')}.json"
