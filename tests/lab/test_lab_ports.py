"""Ports: taken ones are refused with the variable that changes them."""

import socket

import pytest

from lab.errors import UsageError
from lab.stack.ports import HOST, free_port, require_free


def test_a_taken_port_names_its_variable() -> None:
    """The sentence tells which variable to set."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(UsageError) as caught:
            require_free(port, "SERVICE_PORT")

    assert f"Port {port} is in use: choose another one with SERVICE_PORT=<port>." == str(
        caught.value
    )


def test_a_free_port_is_free() -> None:
    """A port just found can be required."""
    require_free(free_port(), "SERVICE_PORT")
