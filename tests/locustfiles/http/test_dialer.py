from pathlib import Path

import pytest
from attempts import exchange
from gevent.socket import wait_read
from gevent_server import APPLIED, PATIENCE_SECONDS, always, answer, once, serving

from locustfiles.errors import BadInput
from locustfiles.http.connection import Connection
from locustfiles.http.dialer import Address, read_address

# Signed by itself for 127.0.0.1, until 2120; only the tests trust it.
FOLDER = Path(__file__).parents[1] / "tls"
CERTIFICATE = str(FOLDER / "certificate.pem"), str(FOLDER / "key.pem")


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The certificate, which this process trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", CERTIFICATE[0])
    return CERTIFICATE


def await_bytes(connection: Connection) -> None:
    """Wait until something has arrived."""
    assert connection._socket is not None
    wait_read(connection._socket.fileno(), PATIENCE_SECONDS)


def test_an_encrypted_connection_is_kept_as_well(trusted: tuple[str, str]) -> None:
    """Session tickets that arrive after the handshake are not taken for the server's end."""
    with serving(always(answer()), trusted) as (dialer, peer):
        connection = Connection(dialer)
        connection.ensure_open()
        await_bytes(connection)  # the tickets
        outcomes = [exchange(connection) for _ in range(5)]
        connection.close()

    assert [(None, APPLIED)] * 5 == [(one.failure, one.body) for one in outcomes]
    assert (1, 5) == (connection.opened, peer.total)


def test_an_encrypted_connection_that_was_closed_is_opened_again(
    trusted: tuple[str, str],
) -> None:
    """The end of the stream is seen through the encryption."""
    with serving(once(answer()), trusted) as (dialer, peer):
        connection = Connection(dialer)
        outcomes = []
        for _ in range(3):
            outcomes.append(exchange(connection))
            await_bytes(connection)  # the close
        connection.close()

    assert [None] * 3 == [outcome.failure for outcome in outcomes]
    assert (3, 3) == (connection.opened, peer.total)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_certificate_that_is_not_trusted_is_refused() -> None:
    """Nothing is sent to a server that cannot say who it is."""
    with serving(always(answer()), CERTIFICATE) as (dialer, peer):
        outcome = exchange(Connection(dialer))

    assert ("other", False, 0) == (outcome.failure, outcome.was_written, peer.total)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h", ("http://h", "h", 80, False, "")),
        ("https://h/", ("https://h", "h", 443, True, "")),
        ("http://[::1]:81/a/", ("http://[::1]:81/a", "::1", 81, False, "/a")),
    ],
)
def test_addresses(url: str, expected: tuple[str, str, int, bool, str]) -> None:
    """Port and path are what a connection needs of a URL."""
    assert Address(*expected) == read_address(url)


@pytest.mark.parametrize("url", ["", "h:80", "ftp://h", "http://", "http://h:x", "http://h?a=b"])
def test_addresses_that_are_none(url: str) -> None:
    """The sentence shows a good one."""
    with pytest.raises(BadInput, match=r"such as http://127\.0\.0\.1:8000"):
        read_address(url)
