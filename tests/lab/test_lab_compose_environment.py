"""The environment that compose.yaml is filled in from."""

import pytest

from lab.cli.variables import Variables
from lab.stack.compose import compose_environment
from workload.assumptions import Assumptions


@pytest.fixture(autouse=True)
def _shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTBOARD_MODE", "stray")
    monkeypatch.setenv("HOTBOARD_REDIS_URL", "redis://stray")
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "/stray")
    monkeypatch.setenv("DOCKER_HOST", "unix:///kept")


def test_settings_are_the_runs_and_never_the_shells() -> None:
    """What strayed into the shell does not reach a container; what docker needs is kept."""
    variables = Variables(mode="partitioned", top="materialised", rank_limit=7)
    environment = compose_environment(variables, Assumptions(regions=("eu", "us")))

    assert environment["HOTBOARD_MODE"] == "partitioned"
    assert (environment["HOTBOARD_TOP"], environment["HOTBOARD_RANK_LIMIT"]) == (
        *("materialised", "7"),
    )
    assert environment["HOTBOARD_REGIONS"] == "eu,us"
    assert environment["HOTBOARD_WORKERS"] == "1"
    assert "HOTBOARD_REDIS_URL" not in environment
    assert "PROMETHEUS_MULTIPROC_DIR" not in environment
    assert environment["DOCKER_HOST"] == "unix:///kept"


def test_what_make_does_not_decide_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that only the service has reaches it from the shell, as an embedded one."""
    monkeypatch.setenv("HOTBOARD_ACHIEVEMENTS_SWEEP_AT", "05:41")
    environment = compose_environment(Variables(odometer_reads="direct"), Assumptions())

    assert environment["HOTBOARD_ACHIEVEMENTS_SWEEP_AT"] == "05:41"
    assert environment["HOTBOARD_ODOMETER_READS"] == "direct"
    assert "HOTBOARD_EVENTS_PATH" not in environment


def test_every_run_has_a_ledger_of_its_own() -> None:
    """In the volume of the ledgers, under the run's name; without a ledger nothing is said."""
    paths = [
        compose_environment(Variables(ledger=ledger), Assumptions(), None, "run.db").get(
            "HOTBOARD_LEDGER_PATH"
        )
        for ledger in ("sqlite", "none")
    ]

    assert paths == ["/ledgers/run.db", None]


def test_several_workers_share_a_folder_for_their_counts() -> None:
    """Without it each scrape would see one worker's part."""
    environment = compose_environment(Variables(service_workers=2), Assumptions())

    assert ("2", "/tmp/metrics") == (  # noqa: S108  inside the container
        environment["HOTBOARD_WORKERS"],
        environment["PROMETHEUS_MULTIPROC_DIR"],
    )


def test_ports_are_the_variables_unless_they_are_taken_already() -> None:
    """A run keeps the port that the service has."""
    variables = Variables(service_port=8001, grafana_port=3001)
    environment = compose_environment(variables, Assumptions(), {"SERVICE_PORT": 9000})

    names = ("SERVICE_PORT", "REDIS_PORT", "PROMETHEUS_PORT", "GRAFANA_PORT")
    assert [environment[name] for name in names] == ["9000", "6379", "9090", "3001"]
