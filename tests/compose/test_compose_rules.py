"""compose.yaml keeps the rules of the Compose specification that it touches, and our own."""

import re
from typing import Any

import pytest
from compose_file import TEXT, Service, filled_in, services

SERVICES = services()
# of the Compose specification, what this file uses
SERVICE_KEYS = {
    *("image", "build", "command", "environment", "env_file", "ports", "volumes", "tmpfs"),
    *("depends_on", "healthcheck", "deploy", "profiles"),
}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
DURATION = re.compile(r"([0-9]+(us|ms|s|m|h))+")
# how often a probe may cost something, and how long a stack may need to be healthy
PROBE_KEYS = {"test", "interval", "timeout", "retries", "start_period"}
# the programs that an image has, in which a health check may trust
TOOLS = {
    "redis": {"redis-cli"},
    "hotboard-service": {"python"},
    "hotboard-generator": {"python", "grep"},
    "prom/prometheus": {"wget"},
    "grafana/grafana": {"wget"},
    "oliver006/redis_exporter": {"wget"},
}


def each(*, built: bool | None = None, lasting: bool | None = None) -> list[Any]:
    """Make a test parameter of each service, all or by whether they are built here or stay up."""
    return [
        pytest.param(service, id=name)
        for name, service in SERVICES.items()
        if built in {None, service["image"].startswith("hotboard-")}
        and lasting in {None, service.get("profiles") != ["audit"]}
    ]


@pytest.mark.parametrize("service", each())
def test_only_known_keys_are_used(service: Service) -> None:
    """A misspelt key would be refused by compose, on a user's machine."""
    assert set(service) <= SERVICE_KEYS
    assert set(filled_in()) == {"name", "x-direct", "services", "volumes"}


@pytest.mark.parametrize("service", each())
def test_no_proxy_stands_between_containers(service: Service) -> None:
    """Docker's own configuration gives proxies to containers; Redis alone asks nobody."""
    if service["image"].startswith("redis:"):
        return
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        assert service["environment"][name] == service["environment"][name.upper()] == ""


@pytest.mark.parametrize("service", each())
def test_ports_are_bound_to_this_machine(service: Service) -> None:
    """Nobody else on the network reaches a published port."""
    for port in service.get("ports", []):
        assert re.fullmatch(r"127\.0\.0\.1:[1-9]\d{0,4}:[1-9]\d{0,4}", port)


@pytest.mark.parametrize("service", each(built=False))
def test_foreign_images_are_pinned_to_a_release(service: Service) -> None:
    """A tag that moves would change what is measured from one day to the next."""
    repository, _, tag = service["image"].partition(":")

    assert repository in TOOLS
    assert re.fullmatch(r"v?\d+\.\d+\.\d+(-alpine)?", tag)


@pytest.mark.parametrize("service", each(built=True))
def test_own_images_are_built_here_or_by_another_service(service: Service) -> None:
    """Every image of ours has one recipe, a target of the Dockerfile."""
    builds = [
        one["build"]
        for one in SERVICES.values()
        if one["image"] == service["image"] and "build" in one
    ]

    assert builds == [{"context": ".", "target": service["image"].removeprefix("hotboard-")}]


@pytest.mark.parametrize("service", each(lasting=True))
def test_every_service_has_a_health_check_its_image_can_run(service: Service) -> None:
    """Complete, and with a program that the image really has; what is run once is not probed."""
    probe = service["healthcheck"]
    form, tool, *_ = probe["test"]

    assert set(probe) == PROBE_KEYS
    assert form == "CMD"
    assert tool in TOOLS[service["image"].partition(":")[0]]
    assert all(DURATION.fullmatch(probe[key]) for key in ("interval", "timeout", "start_period"))
    assert probe["retries"] >= 3


@pytest.mark.parametrize("service", each())
def test_order_waits_for_health(service: Service) -> None:
    """What a service depends on is there, has a health check, and is waited for."""
    for name, how in service.get("depends_on", {}).items():
        assert how["condition"] in CONDITIONS
        assert how == {"condition": "service_healthy"}
        assert "healthcheck" in SERVICES[name]


def test_order_has_no_circle() -> None:
    """Somebody can begin."""
    waiting = {name: set(service.get("depends_on", {})) for name, service in SERVICES.items()}
    while waiting:
        ready = {name for name, others in waiting.items() if not others & set(waiting)}

        assert ready, f"they wait for each other: {sorted(waiting)}"
        waiting = {name: others for name, others in waiting.items() if name not in ready}


@pytest.mark.parametrize("service", each())
def test_every_service_has_limits(service: Service) -> None:
    """Processor and memory: they are part of what is measured."""
    limits = service["deploy"]["resources"]["limits"]

    assert set(limits) == {"cpus", "memory"}
    assert re.fullmatch(r"\d+(\.\d+)?", limits["cpus"])
    assert re.fullmatch(r"\d+[MG]", limits["memory"])


@pytest.mark.parametrize("name", SERVICES)
def test_one_line_of_purpose_stands_above_each_service(name: str) -> None:
    """One sentence, directly above, with an empty line before it."""
    assert re.search(rf"(?m)^(?:services:|)\n  # [A-Z][^\n]+\.\n  {name}:$", TEXT)
