"""The generator's metrics inside the stack."""

import yaml
from compose_file import ROOT, services

from locustfiles.options import METRICS_PORT


def test_prometheus_reaches_the_metrics_of_the_master() -> None:
    """The master serves them to the other containers, where the scrape configuration looks."""
    command = services()["locust-master"]["command"]
    text = (ROOT / "dashboards" / "prometheus" / "prometheus.yml").read_text(encoding="utf-8")
    jobs = {job["job_name"]: job for job in yaml.safe_load(text)["scrape_configs"]}
    (lookup,) = jobs["generator"]["dns_sd_configs"]

    assert "0.0.0.0" == command[command.index("--metrics-host") + 1]  # noqa: S104  inside the stack
    assert "--metrics-port" not in command
    assert (["locust-master"], METRICS_PORT) == (lookup["names"], lookup["port"])


def test_nobody_outside_reaches_them() -> None:
    """Neither the master's metrics nor anything of a worker is published."""
    assert ["127.0.0.1:8089:8089"] == services()["locust-master"]["ports"]
    assert "ports" not in services()["locust-worker"]
    assert "--metrics-host" not in services()["locust-worker"]["command"]
