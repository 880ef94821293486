"""The ports of `make watch`: defaults, and sentences that name their variables."""

import socket

import pytest

from dashboards.watch.ports import HOST, Ports, WrongPorts, read_ports, require_free


def test_defaults_are_the_documented_ones() -> None:
    """Without any variable, or with empty ones, the documented ports hold."""
    assert Ports(8000, 9646, 9090, 3000) == read_ports({"SERVICE_PORT": "", "GRAFANA_PORT": " "})


def test_every_port_has_its_variable() -> None:
    """Each of the four can be moved."""
    names = ("SERVICE_PORT", "LOADGEN_PORT", "PROMETHEUS_PORT", "GRAFANA_PORT")
    environment = {name: str(number) for number, name in enumerate(names, 1)}

    assert Ports(1, 2, 3, 4) == read_ports(environment)


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        (Ports(), ""),
        (Ports(prometheus=9091), ""),
        (Ports(service=18_401), " SERVICE_PORT=18401"),
        (Ports(1, 2, 3, 4), " SERVICE_PORT=1 LOADGEN_PORT=2 GRAFANA_PORT=4"),
    ],
)
def test_a_run_to_watch_is_given_the_same_ports(ports: Ports, words: str) -> None:
    """Only those that a run has as well, and only where they are not the usual ones."""
    assert words == ports.of_a_run


def test_every_wrong_port_is_told_at_once() -> None:
    """A word, a number too high and a digit of another script make three sentences."""
    wrong = {"SERVICE_PORT": "web", "PROMETHEUS_PORT": "65536", "GRAFANA_PORT": "٣"}
    with pytest.raises(WrongPorts) as caught:
        read_ports(wrong)

    assert str(caught.value).splitlines() == [
        f"{name}={text}: give a port, a whole number from 1 to 65535."
        for name, text in wrong.items()
    ]


def test_taken_port_names_its_variable() -> None:
    """A port that somebody listens on is refused, a free one is not."""
    with socket.create_server((HOST, 0)) as taken, socket.create_server((HOST, 0)) as other:
        port, free = taken.getsockname()[1], other.getsockname()[1]
        other.close()
        with pytest.raises(WrongPorts) as caught:
            require_free([("PROMETHEUS_PORT", port), ("GRAFANA_PORT", free)])

    assert str(caught.value) == (
        f"Port {port} is in use: choose another one with PROMETHEUS_PORT=<port>."
    )
