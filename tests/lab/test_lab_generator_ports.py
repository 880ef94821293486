import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from free_ports import free_port

from lab.cli.problems import Problems
from lab.cli.variables import Variables, read_variables
from lab.drills.catalogue import DRILLS
from lab.drills.drill import Drill
from lab.errors import UsageError
from lab.generator import _options, require_generator_ports
from lab.run_order import RunOrder
from lab.stack.checkout_lock import HERE
from lab.stack.chosen import ForeignStack
from workload.scenario import load_scenario


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def options_of(variables: Variables, drill: Drill | None = None) -> str:
    """The command line of the generator."""
    scenario = load_scenario(HERE.scenarios / "peak.toml")
    order = RunOrder(variables, scenario, 12_000, "make load-naive", drill)
    return " ".join(_options(order, ForeignStack("http://127.0.0.1:8000"), Path("run")))


@pytest.mark.parametrize("name", ["LOCUST_PORT", "LOADGEN_PORT"])
def test_a_taken_port_is_refused_before_anything_starts(name: str, taken: int) -> None:
    """With the variable that changes it."""
    free = Variables(locust_port=free_port(), loadgen_port=free_port())
    variables = free.model_copy(update={name.lower(): taken})

    with pytest.raises(UsageError, match=f"Port {taken} is in use: .* {name}=<port>"):
        require_generator_ports(variables)


def test_what_is_not_wanted_needs_no_port(taken: int) -> None:
    """Neither a page that is off nor metrics that nobody scrapes."""
    require_generator_ports(Variables(locust_ui=False, locust_port=taken, loadgen_port=0))


def test_the_page_is_on_and_the_run_begins_by_itself() -> None:
    """On this machine alone."""
    words = options_of(Variables(locust_port=8189, loadgen_port=9746))

    assert "--autostart --web-host 127.0.0.1 --web-port 8189" in words
    assert "--metrics-port 9746" in words
    assert "--headless" not in words


@pytest.mark.parametrize("off", ["0", "false", "no"])
def test_the_page_can_be_turned_off(off: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """LOCUST_UI=0 is a run as it was without one."""
    monkeypatch.setenv("LOCUST_UI", off)
    words = options_of(read_variables(Problems()))

    assert "--headless" in words
    assert "--web-port" not in words


def test_only_a_drill_has_every_request_logged() -> None:
    """A line for each request costs as much as counting it."""
    assert "--request-log" not in options_of(Variables())
    assert "--request-log" in options_of(Variables(), DRILLS["redis-kill"])


def test_a_wrong_value_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once, each with its variable."""
    monkeypatch.setenv("LOCUST_UI", "perhaps")
    monkeypatch.setenv("LOADGEN_PORT", "-1")
    monkeypatch.setenv("GRAFANA_URL", "grafana")

    problems = Problems()
    read_variables(problems)

    with pytest.raises(UsageError) as caught:
        problems.tell()
    assert ["GRAFANA_URL", "LOADGEN_PORT", "LOCUST_UI"] == sorted(
        one.partition("=")[0] for one in caught.value.problems
    )
