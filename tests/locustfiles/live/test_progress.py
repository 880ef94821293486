import io
import os
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from hand_clock import HandClock
from pty_pairs import open_pty
from run_views import make_view

from locustfiles.live import progress as plain_lines
from locustfiles.live.progress import Phases, PlainLines, Progress, can_refresh
from locustfiles.live.run_view import RunView
from locustfiles.recording.recording import Recording, Timing
from workload.operations import MODELLED


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (-2, "warm-up   3 of 5 s  offered 1  ok 1  failed 0  dropped 0  p99 0.9 ms"),
        (5, "measured  5 of 60 s  offered 3  ok 1  failed 1  dropped 1  p99 2.5 ms"),
        (60, "measured  60 of 60 s  offered 3  ok 1  failed 1  dropped 1  p99 -"),
        (65, "drain     waiting for answers  offered 3  ok 1  failed 1  dropped 1  p99 -"),
    ],
)
def test_progress_in_plain_lines(second: int, expected: str) -> None:
    """The counts are of the phase, the percentile of the last five seconds."""
    recording = Recording.of(MODELLED)
    submit, top = recording.operations["submit"], recording.operations["top"]
    for at in (-4, 1, 2, 3):
        submit.seconds[at].offered += 1
    submit.count_success(-4, Timing(-4_000_000, -3_999_900, -3_999_100), "applied", measured=False)
    submit.count_success(1, Timing(1_000_000, 1_000_100, 1_002_500), "applied", measured=True)
    submit.count_failure(
        2, Timing(2_000_000, 2_000_100, 2_000_500), "reset", answered=False, unknown=True,
        measured=True,
    )  # fmt: skip
    top.seconds[3].dropped += 1
    said: list[str] = []
    PlainLines(Phases(5, 60), said.append).show(second, recording)

    assert [expected] == said


def test_loading_is_shown_once_a_second_and_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of batches do not make hundreds of lines, nor does a wait after them."""
    sixty_fourths = count()
    clock = SimpleNamespace(monotonic=lambda: next(sixty_fourths) / 64)
    monkeypatch.setattr(plain_lines, "time", clock)
    said: list[str] = []
    plain = PlainLines(Phases(5, 60), said.append)
    for loaded in (*range(0, 12_001, 100), 12_000, 12_000):
        plain.show_loading(loaded, 12_000)

    assert [
        "loading   0 of 12,000 players",
        "loading   6,400 of 12,000 players",
        "loading   12,000 of 12,000 players",
    ] == said


@pytest.mark.parametrize(
    ("warmup", "duration", "expected"),
    [
        (5, 12, [-5, 0, 5, 10, 12, 15]),
        (3, 5, [-3, 0, 5, 10]),
        (0, 7, [5, 7, 10]),
        (7, 2, [-7, -5, 0, 2, 5]),
    ],
)
def test_lines_come_every_five_seconds_and_when_a_phase_changes(
    warmup: int, duration: int, expected: list[int]
) -> None:
    """The end of the measured phase has its line, wherever it falls."""
    phases = Phases(warmup, duration)
    found = [phases.next_line_at(-warmup - 0.5)]
    while len(found) < len(expected):
        found.append(phases.next_line_at(found[-1] + 0.2))

    assert expected == found


def test_the_end_of_a_phase_has_its_line_after_a_stall(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process may be held up until the phase is long over."""
    clock, said = HandClock(0), list[str]()
    stalls = iter([4.0])

    def sleep(seconds: float) -> None:
        clock.at_seconds += seconds + next(stalls)

    monkeypatch.setattr(plain_lines, "gevent", SimpleNamespace(sleep=sleep))
    display = PlainLines(Phases(0, 3), said.append)
    with pytest.raises(StopIteration):  # the last sleep never ends
        display.follow(make_view(clock=clock))
    display.end()

    assert ["loading   12,000 of 12,000 players", "measured  3 of 3 s"] == [
        line.partition("  offered")[0] for line in said
    ]


def test_a_run_goes_on_when_its_output_is_not_read() -> None:
    """The reader of a pipe may go away."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        progress = Progress(Phases(5, 60), stream)
        for _ in range(3):
            progress.print_line("loading")

    assert stream.closed


TERMINAL = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("environment", "encoding", "expected"),
    [
        pytest.param(TERMINAL, "utf-8", True, id="a terminal"),
        pytest.param(TERMINAL | {"CI": ""}, "UTF8", True, id="an empty variable is none"),
        pytest.param(TERMINAL | {"CI": "true"}, "utf-8", False, id="CI"),
        pytest.param({"TERM": "dumb"}, "utf-8", False, id="dumb"),
        pytest.param({}, "utf-8", False, id="no TERM"),
        pytest.param(TERMINAL, "latin-1", False, id="no bars in its alphabet"),
    ],
)
def test_where_a_panel_is_drawn(
    environment: dict[str, str], encoding: str, *, expected: bool
) -> None:
    """On a terminal that can refresh and outside of CI."""
    with open_pty() as (_, descriptor), os.fdopen(os.dup(descriptor), "w", encoding=encoding) as it:
        assert expected == can_refresh(it, environment)


def test_no_panel_is_drawn_into_a_file(tmp_path: Path) -> None:
    """Nor into a pipe."""
    with (tmp_path / "log").open("w", encoding="utf-8") as stream:
        assert not can_refresh(stream, TERMINAL)


def test_a_display_that_fails_ends_no_run(caplog: pytest.LogCaptureFixture) -> None:
    """The log says so, and the run goes on to its end."""
    progress = Progress(Phases(5, 60), io.StringIO())

    class Broken:
        def follow(self, view: RunView) -> None:
            raise RuntimeError(view)

        def end(self) -> None:
            raise RuntimeError

    progress._display = Broken()
    with progress.following(make_view()):
        pass

    assert "The display of the run failed" in caplog.text


def test_a_run_without_output_goes_on() -> None:
    """With stdout closed from the start, saying something is no error."""
    Progress(Phases(warmup_seconds=0, duration_seconds=1), None).print_line("this goes nowhere")
