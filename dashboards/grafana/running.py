"""The two panels about the generator that belong beside everything it loads."""

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.panels import Words
from dashboards.grafana.query import RUN, Query


def cpu() -> Panel:
    """Draw the CPU of the generator against the limit a run is valid below."""
    words = Words(
        "Generator: CPU",
        "The busiest generator process, as a share of one core; above 85 % a run is invalid.",
    )
    field = Field("percentunit", max=1.5, steps=((0.85, "red"),), no_value="no run yet")
    return panels.lines(
        words, field, Query(f"max({RUN.of('loadgen_cpu_ratio')})", "busiest process")
    )


def in_flight() -> Panel:
    """Draw the requests that wait for their answers."""
    words = Words(
        "Generator: in flight", "Requests sent and not answered yet, over all operations."
    )
    field = Field("short", no_value="no run yet")
    return panels.lines(words, field, Query(f"sum({RUN.of('loadgen_inflight')})", "in flight"))
