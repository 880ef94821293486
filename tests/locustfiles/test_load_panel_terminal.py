import os
from types import SimpleNamespace

import pytest
from pty_pairs import open_pty, read_now, set_size

from locustfiles.live import panel as panel_terminal
from locustfiles.live.panel import Terminal

MUCH = "x" * 1_000_000


def test_the_size_is_asked_for_again_and_again() -> None:
    """It follows the window; a terminal that does not know its size has the usual one."""
    with open_pty(200, 50) as (_, descriptor):
        terminal = Terminal(descriptor)
        wide = terminal.size()
        set_size(descriptor, 80, 10)
        narrow = terminal.size()
        set_size(descriptor, 0, 0)
        unknown = terminal.size()
        terminal.close()

    assert ((200, 50), (80, 10), (80, 24)) == (wide, narrow, unknown)


@pytest.mark.parametrize(
    ("dragged_to", "slept"),
    [
        ([], [0.2, 0.2, 0.2, 0.2, 0.2]),
        ([100, 100, 90, 80], [0.2, 0.2, 0.2, 0.2, 0.2]),
        ([90, 80, 90, 80, 90, 80, 90, 80], [0.2] * 9),
    ],
    ids=["same size", "dragged once", "dragged beyond the time"],
)
def test_a_window_that_is_dragged_is_drawn_when_it_stands_still(
    monkeypatch: pytest.MonkeyPatch, dragged_to: list[int], slept: list[float]
) -> None:
    """At once then, but never in between, when no escape would find the picture's top."""
    with open_pty(100, 30) as (_, end):
        terminal = Terminal(end)
        sizes, naps = iter(dragged_to), []

        def nap(seconds: float) -> None:
            naps.append(round(seconds, 6))
            if (columns := next(sizes, None)) is not None:
                set_size(end, columns, 30)

        monkeypatch.setattr(panel_terminal, "gevent", SimpleNamespace(sleep=nap))
        clock = SimpleNamespace(monotonic=lambda: round(sum(naps), 6))
        monkeypatch.setattr(panel_terminal, "time", clock)
        terminal.wait(1.0, os.terminal_size((100, 30)))

        assert slept == naps


def test_nobody_waits_for_a_reader() -> None:
    """What the terminal does not take at once is owed, until it is taken."""
    with open_pty() as (reader, descriptor):
        terminal = Terminal(descriptor)
        terminal.write_text(MUCH)
        assert terminal.is_behind

        taken = 0
        while terminal.is_behind or taken < len(MUCH):
            taken += len(read_now(reader))
        terminal.close()

    assert len(MUCH) == taken


def test_others_still_wait_for_the_terminal() -> None:
    """Only our own descriptor refuses to wait: make and the shell share the one we were given."""
    with open_pty() as (_, descriptor):
        terminal = Terminal(descriptor)
        terminal.close()

        assert os.get_blocking(descriptor)


def test_a_reader_that_does_not_come_back_is_given_up() -> None:
    """The end of a run does not depend on it."""
    with open_pty() as (_, descriptor):
        terminal = Terminal(descriptor)
        terminal.write_text(MUCH)
        terminal.close()


def test_a_terminal_may_go_away() -> None:
    """Its window is closed: nothing is pending any more, and no error is raised."""
    with open_pty() as (reader, descriptor):
        terminal = Terminal(descriptor)
        os.close(reader)
        terminal.write_text("to a closed window")

        assert not terminal.is_behind
        terminal.close()


def test_what_is_no_terminal_is_written_to_all_the_same() -> None:
    """The name of a terminal may not lead to it, as in a container: then its copy is used."""
    reading, writing = os.pipe()
    terminal = Terminal(writing)
    terminal.write_text("text")
    terminal.close()
    os.close(writing)

    assert b"text" == os.read(reading, 100)
    assert (80, 24) == terminal.size()
    os.close(reading)
