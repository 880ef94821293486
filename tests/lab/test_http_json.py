"""Whatever a service sends instead of its description, the lab ends with a sentence."""

import socket
import threading
from collections.abc import Iterator

import pytest
from flooding_service import DRIPS, FLOODS, flooding_service

from lab import http_json as asking
from lab.audit.evidence import read_metrics
from lab.errors import UsageError
from lab.http_json import NoAnswer, Refused, ask_json, fetch
from lab.stack.chosen import require_mode, unused_proxy

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
ANSWERS = {
    "document": OK + b'{"mode":"naive"}',
    "other-mode": OK + b'{"mode":"partitioned"}',
    "list": OK + b"[]",
    "counts": OK + b'hits{key="a"} 1\n',
    "garbage": b"\0\1\2\r\n\r\n",
    "no-text": OK + b'{"mode":"\xff"}',
    "html": OK + b"<html>",
    "deep": OK + b"[" * 100_000,
    "nothing": b"",
    "half": b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
    "long": OK + b"1" * 3_000_000,
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: /document\r\nContent-Length: 0\r\n\r\n",
    "round": b"HTTP/1.1 302 Found\r\nLocation: /round\r\nContent-Length: 0\r\n\r\n",
    "file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "shouting": b"HTTP/1.1 503 Busy\r\n\r\n"
    b'{"detail":"no\\u001b[2J redis://me:pw@h ' + b"a" * 3_000 + b'"}',
}


def _serve(listener: socket.socket) -> None:
    while True:
        try:
            stream, _ = listener.accept()
        except OSError:
            return
        with stream:
            asked = stream.recv(65_536).split(b" ")[1].decode().split("/")[1]
            try:
                stream.sendall(ANSWERS[asked])
                stream.shutdown(socket.SHUT_WR)
                stream.recv(1)
            except OSError:
                continue


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A service whose first folder says how it answers."""
    monkeypatch.setattr(asking, "_SECONDS", 60.0)
    monkeypatch.setattr(asking, "_LARGEST_BYTES", 1_000_000)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=_serve, args=(listener,))
        serving.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        # only closed, it would wait on, at last on the socket that has its number next
        listener.shutdown(socket.SHUT_RDWR)
        serving.join()


def test_nobody_there_is_said_in_plain_words() -> None:
    """Neither an errno nor the name of a function stands in the sentence."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    with pytest.raises(NoAnswer, match=r"^Connection refused$"):
        ask_json(url)


@pytest.mark.parametrize("kind", ["document", "redirect"])
def test_a_document_is_read(kind: str, url: str) -> None:
    """Also behind a redirect, which is how services move."""
    assert {"mode": "naive"} == ask_json(f"{url}/{kind}")


def test_no_proxy_is_asked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the shell names, the service itself answers; a run of a TARGET says so."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    assert {"mode": "naive"} == ask_json(f"{url}/document")
    assert read_metrics(f"{url}/counts") == {"hits": {"a": 1.0}}
    assert unused_proxy("http://board.example:80") == (
        "Load and questions go straight to http://board.example:80: http_proxy is set, "
        "and no proxy is measured."
    )
    assert unused_proxy("https://board.example") is None
    monkeypatch.setenv("no_proxy", ".example")
    assert unused_proxy("http://board.example:80") is None


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("garbage", "^it does not speak HTTP$"),
        ("no-text", "can't decode byte"),
        ("html", "Expecting value"),
        ("deep", "nested too deeply"),
        ("nothing", "closed connection without response"),
        ("half", "IncompleteRead|Expecting property name"),
        ("long", "longer than 1,000,000 bytes"),
    ],
)
def test_anything_else_is_no_answer(kind: str, reason: str, url: str) -> None:
    """One error, whatever was wrong."""
    with pytest.raises(NoAnswer, match=reason):
        ask_json(f"{url}/{kind}")


@pytest.fixture(scope="module")
def flood() -> Iterator[str]:
    """The address of a service whose answers never end."""
    with flooding_service() as found:
        yield found


@pytest.mark.parametrize("kind", FLOODS)
def test_an_answer_that_never_ends_is_given_up_where_it_is_too_long(
    flood: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it goes on: in its head, its body or behind it, in large parts or in small ones."""
    monkeypatch.setattr(asking, "_LARGEST_BYTES", 500_000)
    with pytest.raises(NoAnswer, match=r"^it is longer than 500,000 bytes|header line|100 headers"):
        ask_json(f"{flood}/{kind}")


@pytest.mark.parametrize("kind", ["body", *DRIPS])
def test_an_answer_that_never_ends_is_given_up_when_its_time_is_over(
    flood: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its bytes comes in time, all of them together do not."""
    monkeypatch.setattr(asking, "_LARGEST_BYTES", 10**15)
    with pytest.raises(NoAnswer, match=r"^it was not whole after 0.3 s$"):
        fetch(f"{flood}/{kind}", seconds=0.3)


def test_redirects_that_lead_on_and_on_are_not_followed_for_ever(url: str) -> None:
    """Nor to what is no address of HTTP."""
    with pytest.raises(NoAnswer, match="sends on from one address to the next"):
        fetch(f"{url}/round")
    with pytest.raises(NoAnswer, match="file:// is no address of HTTP"):
        fetch(f"{url}/file")


def test_no_proxy_stands_in_between(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment names for other programs: the load uses none either."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)

    assert {"mode": "naive"} == ask_json(f"{url}/document")


def test_what_a_service_says_reaches_no_terminal_as_it_is(url: str) -> None:
    """Neither what a terminal would obey, nor pages of it, nor a password."""
    with pytest.raises(Refused) as caught:
        ask_json(f"{url}/shouting")

    assert 500 == len(str(caught.value))
    assert str(caught.value).startswith("no�[2J redis://me:***@h aaaa")


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("garbage", "does not answer GET /v1/boards: "),
        ("deep", "does not answer GET /v1/boards: its JSON is nested too deeply."),
        ("list", "serves mode None, which is neither naive nor partitioned."),
        ("other-mode", "serves mode 'partitioned': use `make load-partitioned`."),
    ],
)
def test_a_target_that_cannot_be_loaded_is_named(kind: str, sentence: str, url: str) -> None:
    """The sentence begins with the variable and its value."""
    target = f"{url}/{kind}"

    with pytest.raises(UsageError) as caught:
        require_mode(target, "naive")
    assert str(caught.value).startswith(f"TARGET={target} {sentence}")
