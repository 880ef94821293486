import logging
import os
import sys
from pathlib import Path

import pytest
from pty_pairs import open_pty, read_now

from locustfiles.live.panel import redirect_above


def test_what_is_printed_on_the_terminal_is_led_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole lines of the standard streams and the log; afterwards all is as it was."""
    logger = logging.getLogger("a logger of this test")
    logger.propagate = False
    above: list[str] = []
    with open_pty() as (reader, descriptor), os.fdopen(os.dup(descriptor), "w") as stream:
        handler = logging.StreamHandler(stream)
        logger.addHandler(handler)
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        with redirect_above(descriptor, above.append):
            logger.warning("a warning")
            sys.stdout.write("half a")
            sys.stderr.write(" line\n")
            sys.stdout.write("no end")
            assert b"" == read_now(reader)
        logger.removeHandler(handler)

        assert (stream, stream, stream) == (sys.stdout, sys.stderr, handler.stream)
    assert ["a warning\n", "half a line\n", "no end\n"] == above


def test_what_goes_elsewhere_goes_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log in a file is not for the terminal, nor is an output that was redirected."""
    above: list[str] = []
    with open_pty() as (_, descriptor), (tmp_path / "log").open("w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with redirect_above(descriptor, above.append):
            sys.stderr.write("to the file\n")

    assert [] == above
    assert "to the file\n" == (tmp_path / "log").read_text()
