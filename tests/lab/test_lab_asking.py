"""Whatever a service sends instead of its description, the lab ends with a sentence."""

import itertools
import socket
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from lab import asking
from lab.asking import NoAnswer, ask_json
from lab.errors import UsageError
from lab.foreign import require_mode

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
ANSWERS = {
    "document": OK + b'{"mode":"naive"}',
    "other-mode": OK + b'{"mode":"partitioned"}',
    "list": OK + b"[]",
    "garbage": b"\0\1\2\r\n\r\n",
    "no-text": OK + b'{"mode":"\xff"}',
    "html": OK + b"<html>",
    "deep": OK + b"[" * 100_000,
    "nothing": b"",
    "half": b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{",
    "long": OK + b"1" * 3_000_000,
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: /document\r\nContent-Length: 0\r\n\r\n",
    "drip": OK,
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
                while asked == "drip":
                    stream.sendall(b" ")
                    time.sleep(0.05)
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


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("garbage", "^\0\1\2$"),
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


def test_a_document_that_never_ends_is_waited_for_a_bounded_time(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its bytes comes in time, all of them together do not; a look is worth 10 s here."""
    clock = SimpleNamespace(monotonic=itertools.count(0, 10).__next__)
    monkeypatch.setattr(asking, "time", clock)

    with pytest.raises(NoAnswer, match=r"^it was not whole after 60 s$"):
        ask_json(f"{url}/drip")
    assert clock.monotonic() == 80


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
