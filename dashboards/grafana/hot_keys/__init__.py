"""The dashboard *Hot keys*, which shows the key that carries the load."""

from dashboards.grafana.hot_keys import glance, keys, latency, resources
from dashboards.grafana.page import Choice, Page, RunChoice
from dashboards.grafana.query import OPERATIONS, RUN


def page() -> Page:
    """Describe the dashboard."""
    return Page(
        uid="hotboard-hot-keys",
        title="Hot keys",
        question="Which key carries the load, and what does that do to latency?",
        sections=(glance.section(), keys.section(), latency.section(), resources.section()),
        choices=(
            RunChoice(RUN, "Run"),
            Choice("op", "Hits", ("write", "read")),
            Choice("operation", "Operation", OPERATIONS),
        ),
    )
