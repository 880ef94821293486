"""Which part is full: Redis, the service or the generator, as utilisation and saturation."""

from grafana_foundation_sdk.models.dashboard import Panel

from dashboards.grafana import panels
from dashboards.grafana.fields import Field
from dashboards.grafana.page import Section, row
from dashboards.grafana.panels import Words
from dashboards.grafana.query import HTTP_SECONDS, LOAD, PIPELINE_SECONDS, RUN, Query, rate
from dashboards.grafana.running import cpu, in_flight


def section() -> Section:
    """Lay Redis out first, then the service, then what drives it."""
    parts = (_redis_cpu(), _redis_commands(), _waiting(), _answers(), cpu(), in_flight())
    return Section("Redis, service, generator", row(8, 8, *parts))


def _redis_cpu() -> Panel:
    words = Words(
        "Redis: share of one core",
        "CPU of the Redis process, from its exporter; at 100 % its command thread is full.",
    )
    user = "rate(redis_cpu_user_seconds_total[$__rate_interval])"
    system = "rate(redis_cpu_sys_seconds_total[$__rate_interval])"
    field = Field("percentunit", max=2, steps=((0.9, "red"),), no_value="no Redis exporter")
    return panels.lines(
        words, field, Query(RUN.during(f"sum by (instance) ({user} + {system})"), "{{instance}}")
    )


def _redis_commands() -> Panel:
    words = Words("Redis: commands", "Board commands that Redis answered to the service, by name.")
    commands = RUN.during(rate("command", "leaderboard_redis_commands_total"))
    query = Query(f"{commands} > 0", "{{command}}")
    return panels.lines(words, Field("ops", no_value="no load yet"), query, stacked=True)


def _waiting() -> Panel:
    words = Words(
        "In flight: service and Redis",
        "Requests in the service and pipelines in Redis at one time: they grow where work waits.",
    )
    return panels.lines(
        words,
        Field("short", no_value="no load yet"),
        Query(RUN.during(rate("", f"{HTTP_SECONDS}_sum{{{LOAD}}}")), "requests in the service"),
        Query(RUN.during(rate("", PIPELINE_SECONDS)), "pipelines in Redis"),
    )


def _answers() -> Panel:
    words = Words(
        "Service: answers by status", "Answers of the service each second, by HTTP status."
    )
    answers = RUN.during(rate("code", f"{HTTP_SECONDS}_count{{{LOAD}}}"))
    query = Query(f"{answers} > 0", "{{code}}")
    return panels.lines(words, Field("reqps", no_value="no load yet"), query, stacked=True)
