from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from load_plans import PLAN
from run_views import answer, clock_at, drop, fail, make_view

from locustfiles.live.run_view import RunView
from locustfiles.live.snapshot import (
    Figures,
    OperationRow,
    PanelSource,
    Phase,
    Title,
    Totals,
    Trouble,
    current_phase,
    totals_of,
)
from locustfiles.recording.recording import OperationRecord, Recording, SecondCounts
from locustfiles.run.loading import Loading
from workload.operations import MODELLED


def rows_of(view: RunView) -> dict[str, OperationRow]:
    """The operations of the first snapshot of a run."""
    return {row.name: row for row in PanelSource(view).snapshot(0).operations}


def test_a_run_is_named() -> None:
    """The title says what runs, and the keys what should share its load."""
    snapshot = PanelSource(make_view()).snapshot(0)

    assert Title("peak", "partitioned", "0.001", 12_000) == snapshot.title
    assert 0.5 == snapshot.keys.fair_share
    assert [None] * 6 == [
        part for row in snapshot.operations for part in (row.recent, row.measured)
    ]


def test_a_run_without_boards_has_neither_mode_nor_players() -> None:
    """The mode is of the boards and the players stand on them; such a run touches none."""
    plan = replace(PLAN, rates={"event_v2": "10", "races": "5"})
    snapshot = PanelSource(make_view(plan=plan)).snapshot(0)

    assert Title("peak", None, "0.001", None) == snapshot.title
    assert not snapshot.touches_boards


def test_the_last_seconds_and_the_measured_phase() -> None:
    """Rates are of whole seconds; the last five go back into the warm-up, the phase does not."""
    recording = Recording.of(MODELLED)
    for second in (-5, -2, -1, 0, 0, 1, 1, 2):
        answer(recording, "submit", second, 900)
    answer(recording, "submit", 3, 900)  # of the second that is not over yet
    submit = rows_of(make_view(recording=recording, clock=clock_at(3.25)))["submit"]

    assert Figures(7 / 5, 7 / 5, 0.9, None) == submit.recent
    assert Figures(5 / 3, 5 / 3, 0.9, None) == submit.measured


def test_an_answer_that_comes_late_is_achieved_when_it_comes() -> None:
    """Its response time counts from the second in which it was wanted."""
    recording = Recording.of(MODELLED)
    for second in (0, 1):
        answer(recording, "top", second, 2_500_000)
    top = rows_of(make_view(recording=recording, clock=clock_at(3.0)))["top"]

    assert top.measured is not None
    assert (2 / 3, 1 / 3) == (top.measured.offered_per_second, top.measured.achieved_per_second)
    assert 2_500.607 == top.measured.p50_ms  # the bucket's highest value, as in the tables


def test_a_percentile_needs_enough_answers() -> None:
    """One answer is no median, and under a hundred say nothing of the slowest hundredth."""
    recording = Recording.of(MODELLED)
    answer(recording, "top", 0, 700)
    for number in range(99):
        answer(recording, "submit", 0, 1_000 + number)
    for number in range(100):
        answer(recording, "around", 0, 1_000 + number)
    rows = rows_of(make_view(recording=recording, clock=clock_at(1.0)))
    shown = {
        name: (row.recent.p50_ms, row.recent.p99_ms) for name, row in rows.items() if row.recent
    }

    assert {"top": (None, None), "submit": (1.049, None), "around": (1.049, 1.098)} == shown


def test_after_the_measured_phase_its_figures_stay() -> None:
    """The drain offers nothing, and divides by no second of its own."""
    recording = Recording.of(MODELLED)
    for second in range(60):
        answer(recording, "submit", second, 900)
    view = make_view(recording=recording, clock=clock_at(63.0))
    snapshot = PanelSource(view).snapshot(0)
    (submit, *_) = snapshot.operations

    assert snapshot.is_measured_whole
    assert Figures(1, 1, 0.9, None) == submit.recent == submit.measured


def test_a_stop_stops_the_time_of_the_rates() -> None:
    """A second that it cut short is in no rate, but what became of its requests is shown."""
    recording = Recording.of(MODELLED)
    for second in range(4):
        answer(recording, "submit", second, 900)
        answer(recording, "submit", second, 900)
    reasons: list[str] = []
    view = make_view(
        recording=recording,
        clock=clock_at(4.1),
        why_stopping=lambda: reasons[0] if reasons else None,
    )
    source = PanelSource(view)
    source.snapshot(0)
    answer(recording, "submit", 4, 900)  # half of its second, then the stop
    drop(recording, "submit", 4)
    recording.operations["submit"].seconds[4].offered += 3
    reasons.append("stopped by SIGINT (Ctrl-C)")
    view.clock = clock_at(9.0)
    snapshot = source.snapshot(0)
    (submit, *_) = snapshot.operations

    assert Figures(2, 2, 0.9, None) == submit.measured
    assert Figures(8 / 5, 8 / 5, 0.9, None) == submit.recent
    assert ((Trouble("dropped", (("submit", 1),)),), 3) == (snapshot.troubles, snapshot.waiting)


def test_troubles_are_of_the_current_phase() -> None:
    """A failure of the warm-up is gone when the measured phase begins."""
    recording = Recording.of(MODELLED)
    fail(recording, "top", -1, "reset")
    drop(recording, "submit", -2)
    fail(recording, "submit", 0, "timeout")
    fail(recording, "around", 1, "timeout")
    drop(recording, "around", 1)
    recording.operations["top"].seconds[1].offered += 2  # not answered yet
    view = make_view(recording=recording, clock=clock_at(-0.5))
    source = PanelSource(view)
    before = source.snapshot(0)
    view.clock = clock_at(2.5)
    after = source.snapshot(0)

    assert (Trouble("reset", (("top", 1),)), Trouble("dropped", (("submit", 1),))) == (
        before.troubles
    )
    assert (
        Trouble("timeout", (("submit", 1), ("around", 1))),
        Trouble("dropped", (("around", 1),)),
    ) == after.troubles
    assert 2 == after.waiting


def test_every_key_is_shown() -> None:
    """A key without hits has its place, one that the model does not know comes last."""
    hits = {"lb:b": {"read": 2, "write": 3}, "lb:x": {"read": 5}, "lb:a": {"write": -7}}
    keys = PanelSource(make_view(measured_hits=lambda: hits)).snapshot(0).keys
    untouched = PanelSource(make_view()).snapshot(0).keys

    assert (("lb:a", 0), ("lb:b", 5), ("lb:x", 5)) == keys.hits
    assert [0.0, 0.5, 0.5] == [keys.share(count) for _, count in keys.hits]
    assert (("lb:a", 0), ("lb:b", 0)) == untouched.hits
    assert 0.0 == untouched.share(0)


@settings(deadline=None)  # under load a frame may take its time
@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 5), max_size=40),
    st.lists(st.integers(0, 45), max_size=8),
)
def test_totals_are_plain_sums(counters: list[tuple[int, ...]], readings: list[int]) -> None:
    """However many seconds are folded, they are what adding all seconds up would give."""
    record, whole = OperationRecord(), {}
    for second, (offered, dropped, ok, failed, achieved) in enumerate(counters):
        whole[second] = record.seconds[second] = SecondCounts(
            offered=offered, dropped=dropped, ok=ok, failed=failed, achieved=achieved
        )
    for second in sorted(readings):
        record.settle(min(second - 5, 30))
        seen = [whole[at] for at in range(min(second, 30, len(counters)))]

        assert Totals(
            sum(one.offered for one in seen),
            sum(one.dropped for one in seen),
            sum(one.ok for one in seen),
            sum(one.failed for one in seen),
            sum(one.achieved for one in seen),
        ) == totals_of(record, range(30), second)


def test_reading_totals_adds_no_seconds() -> None:
    """A second in which nothing happened stays out of the run's files."""
    record = OperationRecord()
    totals_of(record, range(30), 30)

    assert {} == record.seconds


def test_a_small_scale_is_written_as_people_do() -> None:
    """Never with an exponent, whatever wrote it."""
    plan = replace(make_view().plan, scale="2e-05")

    assert "0.00002" == PanelSource(make_view(plan=plan)).snapshot(0).title.scale


@pytest.mark.parametrize(
    ("loaded", "seconds", "expected"),
    [
        (0, 0.1, Phase("loading players", 0.0, "0 of 12,000")),
        (3_000, 2.0, Phase("loading players", 0.25, "3,000 of 12,000, about 6 s left")),
        (12_000, 2.0, Phase("starting", None, "opening connections")),
    ],
)
def test_before_the_start(loaded: int, seconds: float, expected: Phase) -> None:
    """What is left to load is judged by what it took so far."""
    view = make_view(loading=Loading(12_000, ok=loaded))

    assert expected == current_phase(view, seconds, -5, 0)


@pytest.mark.parametrize(
    ("now", "waiting", "expected"),
    [
        (-5.4, 0, Phase("starting", None, "at the next whole second")),
        (-3.5, 0, Phase("warm-up", 1 / 5, "1 of 5 s, 4 s left")),
        (0.0, 0, Phase("measured", 0.0, "0 of 60 s, 60 s left")),
        (59.9, 0, Phase("measured", 59 / 60, "59 of 60 s, 1 s left")),
        (60.25, 12, Phase("drain", None, "waiting for 12 answers, at most 20 s")),
        (75.0, 1, Phase("drain", None, "waiting for 1 answer, at most 5 s")),
        (99.0, 1, Phase("drain", None, "waiting for 1 answer, at most 0 s")),
    ],
)
def test_on_the_schedule(now: float, waiting: int, expected: Phase) -> None:
    """Whole seconds of the schedule; the drain is bounded by the limits of a request."""
    view = make_view(clock=clock_at(now))

    assert expected == current_phase(view, now, int(now), waiting)


def test_a_run_of_hours() -> None:
    """A reader need not divide seconds."""
    view = make_view(clock=clock_at(3_723.0))
    view.plan = replace(view.plan, duration_seconds=86_400)

    assert "3723 of 24 h 00 min, 22 h 57 min left" == current_phase(view, 3_723.0, 3_723, 0).words


def test_a_run_that_stops_says_why() -> None:
    """In any phase, and until its files are written."""
    view = make_view(clock=clock_at(12.0), why_stopping=lambda: "stopped by SIGTERM")
    stopping = current_phase(view, 12.0, 12, 3)
    view.ended = "interrupted"

    assert Phase("stopping", None, "stopped by SIGTERM; waiting for 3 answers") == stopping
    assert Phase("interrupted", 0.2, "12 of 60 s measured") == current_phase(view, 14.0, 12, 0)


def test_a_run_that_ended_early_has_measured_nothing() -> None:
    """Seconds of the warm-up are none of the measured phase."""
    view = make_view(ended="failed-to-load")

    assert Phase("failed-to-load", 0.0, "0 of 60 s measured") == current_phase(view, 1.0, -5, 0)
