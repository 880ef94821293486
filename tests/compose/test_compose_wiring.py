"""compose.yaml fits what it starts: names, ports, mounts, variables and profiles."""

import re

import pytest
import yaml
from compose_file import ROOT, TEXT, Service, filled_in, services, variables

from lab.cli.variables import Variables
from lab.stack.compose import HANDED_ON, compose_environment
from target_service.settings import PREFIX, Settings
from workload.assumptions import Assumptions

SERVICES = services()


def test_services_are_those_that_others_name() -> None:
    """The scrape configuration, Grafana's data source and the lab count on these names."""
    assert set(SERVICES) == {
        *("redis", "target_service", "prometheus", "grafana", "redis-exporter"),
        *("locust-master", "locust-worker", "lab"),
    }


def test_published_ports_are_the_documented_ones() -> None:
    """Each has its default and a variable of make to move it."""
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert ports == {
        "redis": ["127.0.0.1:6379:6379"],
        "target_service": ["127.0.0.1:8000:8000"],
        "prometheus": ["127.0.0.1:9090:9090"],
        "grafana": ["127.0.0.1:3000:3000"],
        "locust-master": ["127.0.0.1:8089:8089"],
    }
    assert {name for name in variables() if name.endswith("_PORT")} == {
        *("REDIS_PORT", "SERVICE_PORT", "PROMETHEUS_PORT", "GRAFANA_PORT", "LOCUST_PORT")
    }


def test_redis_is_probed_as_the_requirement_says() -> None:
    """The image, the port and the four numbers of its health check are given."""
    redis = SERVICES["redis"]

    assert redis["image"] == "redis:8.10.1-alpine"
    assert redis["healthcheck"] == {
        "test": ["CMD", "redis-cli", "ping"],
        "interval": "5s",
        "timeout": "3s",
        "retries": 5,
        "start_period": "5s",
    }


def test_service_gets_a_core_for_each_worker() -> None:
    """Two workers on the core of one would be slower than one."""
    (limit,) = re.findall(r"cpus: (.*), memory: 512M}\n\n  # The audit of", TEXT)

    assert limit == '"${HOTBOARD_WORKERS:-1}"'


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)
def test_mounts_exist_and_are_read_only(service: Service) -> None:
    """Folders of the checkout are there and cannot be written; the rest is named or in memory."""
    for mount in service.get("volumes", []):
        if isinstance(mount, dict):
            # a file of the user's, or none
            is_file = mount["type"] == "bind" and mount["source"] == "/dev/null"
            assert mount["type"] == "tmpfs" or (is_file and mount["read_only"])
            continue
        source, target, *mode = mount.split(":")
        assert target.startswith("/")
        if source.startswith("."):
            assert mode == ["ro"]
            assert (ROOT / source).is_dir()
        else:
            assert source in filled_in()["volumes"]


def test_every_named_volume_is_used() -> None:
    """No volume is declared that nobody mounts."""
    used = {
        mount.partition(":")[0]
        for service in SERVICES.values()
        for mount in service.get("volumes", [])
        if isinstance(mount, str)
    }

    assert set(filled_in()["volumes"]) <= used


def test_dashboards_are_mounted_where_their_files_expect_it() -> None:
    """Prometheus' and Grafana's folders are those that their configuration names."""
    environment = (ROOT / "dashboards" / "grafana" / "grafana.env").read_text(encoding="utf-8")

    assert "./dashboards/prometheus:/etc/prometheus:ro" in SERVICES["prometheus"]["volumes"]
    assert SERVICES["grafana"]["env_file"] == "dashboards/grafana/grafana.env"
    assert (
        "./dashboards/grafana/provisioning:/etc/grafana/provisioning:ro"
        in (SERVICES["grafana"]["volumes"])
    )
    (dashboards,) = re.findall(r"(?m)^HOTBOARD_DASHBOARDS=(.+)$", environment)
    assert f"./dashboards/grafana/json:{dashboards}:ro" in SERVICES["grafana"]["volumes"]


def test_audit_is_beside_the_ledger_of_the_service() -> None:
    """The lab has the service's volume, file, mode and Redis, its address, and no port."""
    lab, service = SERVICES["lab"], SERVICES["target_service"]
    shared = ("HOTBOARD_LEDGER_PATH", "HOTBOARD_MODE", "HOTBOARD_REDIS_URL")

    assert "ledgers:/ledgers" in lab["volumes"]
    assert "ledgers:/ledgers" in service["volumes"]
    assert [lab["environment"][name] for name in shared] == [
        service["environment"][name] for name in shared
    ]
    assert lab["environment"]["HOTBOARD_SERVICE_URL"] == "http://target_service:8000"
    assert lab["image"] == service["image"]
    assert "ports" not in lab


def test_every_setting_of_the_service_reaches_its_container() -> None:
    """Fixed, chosen by make, or handed on from the shell: none is forgotten."""
    environment = SERVICES["target_service"]["environment"]
    names = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    handed_on = {name for name, value in environment.items() if value is None}
    chosen = set(compose_environment(Variables(), Assumptions()))

    assert names == {name for name in environment if name.startswith(PREFIX)}
    assert handed_on & names <= chosen | HANDED_ON
    assert HANDED_ON <= names - chosen


def test_an_event_file_is_mounted_where_the_service_reads_it() -> None:
    """Without one the service is told of none, and an empty file is mounted."""
    service = SERVICES["target_service"]
    (mount,) = (one for one in service["volumes"] if isinstance(one, dict))

    assert f"HOTBOARD_EVENTS_PATH: ${{HOTBOARD_EVENTS_PATH:+{mount['target']}}}" in TEXT
    assert service["environment"]["HOTBOARD_EVENTS_PATH"] is None


def test_scraped_addresses_are_services_of_the_stack() -> None:
    """Every host of the scrape configuration is a service here."""
    config = yaml.safe_load((ROOT / "dashboards/prometheus/prometheus.yml").read_text("utf-8"))
    hosts = {
        address.partition(":")[0]
        for job in config["scrape_configs"]
        for group in job.get("static_configs", [])
        for address in group["targets"]
    } | {
        name
        for job in config["scrape_configs"]
        for group in job.get("dns_sd_configs", [])
        for name in group["names"]
    }

    assert hosts == {"target_service", "redis-exporter", "locust-master"}
    assert hosts <= set(SERVICES)


def test_only_generator_and_audit_wait_to_be_asked_for() -> None:
    """`make up` starts everything but Locust and the lab."""
    profiles = {
        name: service["profiles"] for name, service in SERVICES.items() if "profiles" in service
    }

    assert profiles == {"locust-master": ["load"], "locust-worker": ["load"], "lab": ["audit"]}
    assert "container_name" not in TEXT


def test_a_variable_has_one_default() -> None:
    """The same variable means the same in every place."""
    assert all(len(defaults) == 1 for defaults in variables().values())


def test_generator_is_started_with_the_defaults_of_make() -> None:
    """Scale, duration, warm-up and scenario begin as `make load-*` begins."""
    defaults = {name: next(iter(found)) for name, found in variables().items()}
    names = ("SCALE", "DURATION", "WARMUP", "SCENARIO", "WORKERS", "HOTBOARD_MODE")

    assert [defaults[name] for name in names] == ["0.001", "60s", "5s", "peak", "1", "naive"]
    command = SERVICES["locust-master"]["command"]
    assert "--autostart" not in command
    assert "--headless" not in command
    assert SERVICES["locust-worker"]["deploy"]["replicas"] == 1
