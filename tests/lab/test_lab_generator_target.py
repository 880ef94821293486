"""Prometheus in a container is told of the generator on this machine, and can reach it."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from free_ports import free_port
from pretend_docker import PretendDocker
from prometheus_client import CollectorRegistry, Gauge, start_http_server

from lab import generator as metrics_relay_module
from lab.generator import generator_target, metrics_relay
from lab.stack.docker import Container, Docker, find_docker, read_containers
from lab.stack.stack import Session

FILE = "id-of-prometheus:/prometheus/generator.json"


@contextmanager
def generator() -> Iterator[int]:
    """Serve metrics on the loopback as a generator does, and give the port."""
    registry = CollectorRegistry()
    Gauge("loadgen_inflight", "-", registry=registry).set(3)
    server, thread = start_http_server(0, "127.0.0.1", registry)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def get(address: str, path: str = "/metrics") -> tuple[int, str]:
    """Ask for a page: status and body."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}") as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, ""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of these is about a generator that answers late."""
    monkeypatch.setattr(metrics_relay_module, "_SECONDS", 60.0)


@pytest.fixture
def program(session: Session, docker: PretendDocker) -> Docker:
    """The docker that tells Prometheus."""
    return find_docker({"PATH": str(docker.folder)}, session)


@pytest.fixture
def prometheus(program: Docker) -> Container:
    """Prometheus' container."""
    return read_containers(program)["prometheus"]


def test_relay_serves_what_the_generator_serves() -> None:
    """The one page, and nothing else of it."""
    with generator() as port, metrics_relay("127.0.0.1", f"http://127.0.0.1:{port}/metrics") as at:
        assert at is not None
        status, body = get(at)
        other, _ = get(at, "/")

    assert (200, 404) == (status, other)
    assert "loadgen_inflight 3.0" in body
    with pytest.raises((urllib.error.URLError, http.client.HTTPException)):
        get(at)


def test_relay_without_a_generator_is_a_bad_gateway() -> None:
    """Before and after a run nobody is there: the scrape fails, nothing else does."""
    source = f"http://127.0.0.1:{free_port()}/metrics"
    with metrics_relay("127.0.0.1", source) as at:
        assert at is not None
        assert 502 == get(at)[0]


@pytest.mark.parametrize("host", ["", "192.0.2.1"])
def test_relay_needs_an_address_of_this_machine(host: str) -> None:
    """No address would be every address, and one of another machine cannot be had."""
    with metrics_relay(host, "http://127.0.0.1:1/metrics") as at:
        assert at is None


def test_prometheus_is_told_for_as_long_as_the_run_lasts(
    prometheus: Container, program: Docker, docker: PretendDocker
) -> None:
    """The address it is given leads to the generator; afterwards there is none."""
    with generator() as port, generator_target(prometheus, program, port):
        where, _, told = docker.copied[0].partition(" ")
        (group,) = json.loads(told)
        status, body = get(group["targets"][0])

    assert where == FILE
    assert (200, True) == (status, "loadgen_inflight 3.0" in body)
    assert docker.copied[1:] == [f"{FILE} []"]


def test_docker_in_a_machine_of_its_own_looks_outside(
    prometheus: Container, program: Docker, docker: PretendDocker
) -> None:
    """There the gateway is no address of this machine, but a name leads to its loopback."""
    containers = docker.world["containers"]
    for one in containers:
        one["NetworkSettings"]["Networks"]["hotboard_default"]["Gateway"] = "192.0.2.1"
    docker.change(containers=containers)

    with generator_target(read_containers(program)["prometheus"], program, 9646):
        pass
    assert docker.copied == [f'{FILE} [{{"targets": ["host.docker.internal:9646"]}}]', f"{FILE} []"]
    assert prometheus.gateway == "127.0.0.1"


def test_prometheus_that_cannot_be_told_disturbs_no_run(
    prometheus: Container,
    program: Docker,
    docker: PretendDocker,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is said, and the run goes on."""
    docker.change(refuses=[["cp"]])
    ran = False
    with generator_target(prometheus, program, 9646):
        ran = True

    assert ran
    assert capsys.readouterr().out == (
        "Prometheus will not see the generator of this run: `docker cp` failed: that went wrong\n"
    )
