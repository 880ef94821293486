import os

import pytest
from glass_terminal import GlassTerminal
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from locustfiles.live.panel import PanelScreen


class Sent:
    """Takes the place of a terminal: shows what it is sent, unless it is behind."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.glass = GlassTerminal(columns, rows)
        self.is_behind = False
        self.raw = ""

    def write_text(self, text: str) -> None:
        """Show a text."""
        self.raw += text
        self.glass.feed(text)


def lines(*texts: str) -> list[Text]:
    """A picture."""
    return [Text(text, style="red") for text in texts]


def test_a_picture_takes_the_place_of_the_last() -> None:
    """What was there before stays, and no rest of a longer picture does."""
    terminal = Sent()
    terminal.write_text("$ make\r\n")
    screen = PanelScreen(terminal)
    screen.draw(lines("one", "a longer second", "third"), 80)
    screen.draw(lines("eins", "short"), 80)

    assert "$ make\neins\nshort\n\n" == terminal.glass.text()


def test_lines_above_stay_above() -> None:
    """A line of the log comes before the picture, which is drawn again below it."""
    terminal = Sent()
    screen = PanelScreen(terminal)
    screen.print_above("before any\n", 80)
    screen.draw(lines("one", "two"), 80)
    screen.print_above("a warning\nin two lines\n", 80)
    screen.draw(lines("uno", "due"), 80)

    assert "before any\na warning\nin two lines\nuno\ndue\n\n" == terminal.glass.text()


def test_what_is_typed_meanwhile_goes_away() -> None:
    """The ^C that a terminal shows is cleared with the next picture."""
    terminal = Sent()
    screen = PanelScreen(terminal)
    screen.draw(lines("one", "two"), 80)
    terminal.write_text("^C")
    screen.draw(lines("one", "two"), 80)

    assert "one\ntwo\n\n" == terminal.glass.text()


@settings(deadline=None)  # under load a frame may take its time
@given(
    st.lists(st.integers(20, 200), min_size=1, max_size=5),
    st.lists(st.integers(0, 210), min_size=1, max_size=12),
)
def test_a_picture_survives_every_resize(widths: list[int], lengths: list[int]) -> None:
    """However the terminal broke the last picture's lines, the next one replaces all of them."""
    terminal = Sent(columns=widths[0], rows=200)
    terminal.write_text("$ make\r\n")
    screen = PanelScreen(terminal)
    for columns in widths:
        terminal.glass.resize(columns)
        shown = ["x" * min(length, columns - 1) for length in lengths]
        screen.draw(lines(*shown), columns)

        assert "".join(f"{line}\n" for line in ("$ make", *shown, "")) == terminal.glass.text()


def test_a_terminal_that_is_behind_misses_pictures() -> None:
    """Nothing is drawn until it has taken the last one, and then the newest."""
    terminal = Sent()
    screen = PanelScreen(terminal)
    screen.draw(lines("one"), 80)
    terminal.is_behind = True
    screen.draw(lines("two"), 80)
    assert "one\n\n" == terminal.glass.text()

    terminal.is_behind = False
    screen.draw(lines("three"), 80)
    assert "three\n\n" == terminal.glass.text()


@pytest.mark.parametrize(("variable", "is_coloured"), [("HOTBOARD_X", True), ("NO_COLOR", False)])
def test_colours_are_used_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, variable: str, *, is_coloured: bool
) -> None:
    """And nothing is switched on that would have to be switched off again."""
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(variable, "1")
    terminal = Sent()
    PanelScreen(terminal).draw(lines("one"), 80)

    assert is_coloured == ("\x1b[31m" in terminal.raw)
    assert "\x1b[?" not in terminal.raw
    assert os.environ["TERM"] == "xterm-256color"
