"""Provisioning: data source, provider and settings that fit each other."""

import re
from typing import Any

import pytest
import yaml

from dashboards.grafana.datasource import PROMETHEUS_UID
from dashboards.grafana.files import CHECKOUT
from dashboards.grafana.page import REFRESH_CHOICES
from dashboards.prometheus.targets import CONFIG

GRAFANA = CHECKOUT / "dashboards/grafana"

Document = dict[str, Any]


def provisioning(kind: str) -> Document:
    """Read the only provisioning file of a kind."""
    (path,) = (GRAFANA / "provisioning" / kind).iterdir()
    document: Document = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


def environment() -> dict[str, str]:
    """Read Grafana's settings under compose."""
    lines = (GRAFANA / "grafana.env").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_provisioned_data_source_is_the_one_panels_name() -> None:
    """Its uid is the panels' uid, and its interval is the one Prometheus scrapes at."""
    (source,) = provisioning("datasources")["datasources"]
    scrape = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["global"]["scrape_interval"]

    assert ("prometheus", PROMETHEUS_UID) == (source["type"], source["uid"])
    assert scrape == source["jsonData"]["timeInterval"] == "1s"
    assert (True, False) == (source["isDefault"], source["editable"])


def test_provider_keeps_dashboards_as_the_code_wrote_them() -> None:
    """The browser may not change them, and the folder is read slower than Grafana's limit."""
    (provider,) = provisioning("dashboards")["providers"]

    assert (False, True) == (provider["allowUiUpdates"], provider["disableDeletion"])
    assert provider["updateIntervalSeconds"] > 10
    assert provider["type"] == "file"


@pytest.mark.parametrize("kind", ["datasources", "dashboards"])
def test_provisioning_finds_what_it_names_in_the_environment(kind: str) -> None:
    """Every $NAME of the provisioning files is set where Grafana is started."""
    (path,) = (GRAFANA / "provisioning" / kind).iterdir()
    values = re.findall(r"(?m)^[^#\n]*\$(\w+)", path.read_text(encoding="utf-8"))

    assert values
    assert set(values) <= set(environment())


def test_home_is_the_hot_keys_dashboard_and_anybody_may_look() -> None:
    """A user who opens Grafana sees the hot keys, without a login and without edit rights."""
    settings = environment()

    assert (
        f"{settings['HOTBOARD_DASHBOARDS']}/hot-keys.json"
        == settings["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    )
    assert ("true", "Viewer") == (
        settings["GF_AUTH_ANONYMOUS_ENABLED"],
        settings["GF_AUTH_ANONYMOUS_ORG_ROLE"],
    )


def test_every_refresh_a_page_offers_is_allowed() -> None:
    """Grafana leaves out choices below its least interval."""
    seconds = {"s": 1, "m": 60}
    chosen = [environment()["GF_DASHBOARDS_MIN_REFRESH_INTERVAL"], *REFRESH_CHOICES]
    least, *offered = [int(text[:-1]) * seconds[text[-1]] for text in chosen]

    assert min(offered) >= least
