"""What the clients saw of a fault, and when everything was as before."""

from pathlib import Path

import pytest

from lab.audit.ledger_file import Backlog
from lab.drills.fault import Span
from lab.drills.observation import (
    longest_wait_ms,
    outcomes,
    recovery,
    second_by_second,
    seconds_recovering,
    seconds_unavailable,
)
from lab.drills.request_rows import Request, read_requests
from lab.drills.run_clock import Sample

SPAN = Span("broken", 3.0, 4.0)


def _samples(*samples: tuple[float, int, int | None]) -> list[Sample]:
    return [
        Sample(second, Backlog(last, first, 0 if first is None else last - first + 1))
        for second, last, first in samples
    ]


LEVEL = _samples((3.9, 100, 80), (4.1, 110, 90), (4.3, 120, 101), (4.5, 130, 129))


@pytest.mark.parametrize(
    ("caption", "requests", "seconds"),
    [
        ("only the projection had to catch up", [], 0.3),
        ("a read was behind for longer", [("top", "recovering", 5.5)], 1.5),
        ("a write was durable only", [("submit", "durable-only", 4.9)], 0.9),
        ("somebody got no answer", [("around", "timeout", 6.0)], 2.0),
        ("refused by a limit, as it should be", [("rank_exact", "http_4xx", 6.0)], 0.3),
        ("trouble before the fault is not its", [("top", "http_5xx", 2.9)], 0.3),
    ],
)
def test_recovery_ends_with_the_last_trouble(
    caption: str, requests: list[tuple[str, str, float]], seconds: float
) -> None:
    """The later of the last troubled answer and of what the ledger held reaching Redis."""
    sent = [
        Request(name, number, outcome, ended - 0.1, ended)
        for number, (name, outcome, ended) in enumerate(requests)
    ]

    assert recovery([SPAN], sent, LEVEL).seconds == pytest.approx(seconds), caption


@pytest.mark.parametrize(
    ("caption", "samples"),
    [("never looked at", []), ("still behind", _samples((3.9, 100, 80), (9.0, 300, 100)))],
)
def test_a_ranking_that_never_caught_up_has_not_recovered(
    caption: str, samples: list[Sample]
) -> None:
    """No figure is made up for it."""
    assert recovery([SPAN], [], samples).seconds is None, caption


def test_nothing_waiting_is_level() -> None:
    """An empty backlog needs no comparison."""
    assert recovery([SPAN], [], _samples((4.0, 7, None))).seconds == 0


def test_time_is_counted_in_tenths_of_a_second() -> None:
    """Three answers in two tenths are 0.2 s; writes and other answers are left out."""
    requests = [
        Request("top", 0, "recovering", 1.0, 1.01),
        Request("around", 0, "recovering", 1.0, 1.09),
        Request("around", 1, "recovering", 1.0, 1.11),
        Request("around", 2, "http_5xx", 1.0, 1.3),
        Request("submit", 0, "http_5xx", 1.0, 1.5),
        Request("top", 1, "dropped", None, None),
    ]

    assert seconds_recovering(requests) == 0.2


@pytest.mark.parametrize(
    ("caption", "reads", "seconds"),
    [
        ("one failed at once", [("http_5xx", 1.00, 1.01)], 0.1),
        ("two failed in one tenth", [("timeout", 1.0, 1.51), ("reset", 1.5, 1.55)], 0.6),
        ("one was long in coming", [("ok", 1.05, 1.35)], 0.3),
        ("others came meanwhile", [("ok", 1.05, 1.35), ("recovering", 1.14, 1.15)], 0.2),
        ("one crossed an edge", [("ok", 1.05, 1.14)], 0),
        ("a limit refused it", [("http_4xx", 1.0, 1.01)], 0),
    ],
)
def test_reads_are_unavailable_while_they_fail_or_wait(
    caption: str, reads: list[tuple[str, float, float]], seconds: float
) -> None:
    """A failed answer, or a tenth in which reads waited and none got an answer."""
    requests = [Request("top", 0, *read) for read in reads]
    requests.append(Request("submit", 0, "http_5xx", 5.0, 9.0))

    assert seconds_unavailable(requests) == pytest.approx(seconds), caption


def test_the_longest_wait_is_that_of_any_answer_since_the_fault() -> None:
    """Good or bad, from the send."""
    requests = [
        Request("submit", 0, "applied", 0.0, 2.0),
        Request("submit", 1, "durable-only", 3.0, 3.5),
        Request("top", 1, "http_5xx", 3.0, 3.75),
    ]

    assert longest_wait_ms(requests, 3.0) == 750
    assert longest_wait_ms(requests[:1], 3.0) is None


def test_each_second_holds_its_answers_and_its_largest_backlog() -> None:
    """The warm-up is left out; a second without a sample has no backlog."""
    requests = [
        Request("submit", 0, "applied", -0.5, -0.4),
        Request("submit", 1, "stale", 0.0, 0.1),
        Request("submit", 2, "refused", 0.0, 0.2),
        Request("top", 0, "ok", 1.0, 1.9),
        Request("around", 0, "reset", 1.0, 1.8),
    ]
    rows = second_by_second(requests, _samples((0.2, 9, 5), (0.4, 9, 9)))

    assert [
        {name: count for name, count in row.items() if name != "second" and count} for row in rows
    ] == [
        {"writes_settled": 1, "writes_failed": 1, "backlog": 5},
        {"reads_fresh": 1, "reads_failed": 1},
    ]
    assert [(row["second"], row["backlog"]) for row in rows] == [(0, 5), (1, None)]


def test_outcomes_are_counted_apart_for_writes_and_reads() -> None:
    """The most frequent ones first; one that was never sent is an outcome too."""
    told = ["applied", "duplicate", "applied"]
    requests = [Request("submit", n, outcome, 0.0, 1.0) for n, outcome in enumerate(told)]
    requests.append(Request("top", 0, "dropped", None, None))

    assert list(outcomes(requests, writes=True).items()) == [("applied", 2), ("duplicate", 1)]
    assert outcomes(requests, writes=False) == {"dropped": 1}


def test_the_logs_of_all_slices_are_read_in_order_of_the_answers(tmp_path: Path) -> None:
    """A request that was never sent has no times, and comes first; half a line is none."""
    head = "operation,number,intended_us,player,score,outcome,begun_us,ended_us\n"
    (tmp_path / "requests-0.csv").write_text(
        f"{head}submit,-2,-500,7,99,applied,-490,2000000\ntop,0,10,,,dropped,,\n"
    )
    (tmp_path / "requests-1.csv").write_text(f"{head}around,3,0,5,,ok,10,1500000\ntop,1,0,,,ok,2")

    assert read_requests(tmp_path) == [
        Request("top", 0, "dropped", None, None, 0.00001),
        Request("around", 3, "ok", 0.00001, 1.5),
        Request("submit", -2, "applied", -0.00049, 2.0, -0.0005),
    ]
