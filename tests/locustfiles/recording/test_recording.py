import json
from collections import Counter
from typing import get_args

import msgpack  # type: ignore[import-untyped]  # ships no types
import pytest
from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]  # ships no types
from hypothesis import given, settings
from hypothesis import strategies as st

from locustfiles.http.connection import FAILURE_KINDS, FailureKind
from locustfiles.recording.documents import Ending, measurement_pieces, settled_lines
from locustfiles.recording.recording import Recording, Timing
from workload.operations import MODELLED

DURATION = 3
Event = tuple[int, str, int, int, int, str]

# worker, operation, intended start (from the warm-up on), response and service time, outcome
events = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(MODELLED),
        st.integers(-1_000_000, DURATION * 1_000_000 - 1),
        st.integers(0, 70_000_000),
        st.integers(0, 70_000_000),
        st.sampled_from(("ok", "dropped", *FAILURE_KINDS)),
    ),
    max_size=60,
)


def record(recording: Recording, event: Event) -> None:
    """Record one request as the bookkeeping would."""
    _, operation, intended_us, response_us, service_us, outcome = event
    one = recording.operations[operation]
    second = intended_us // 1_000_000
    timing = Timing(intended_us, intended_us + response_us - service_us, intended_us + response_us)
    measured = 0 <= second < DURATION
    one.seconds[second].offered += 1
    if outcome == "ok":
        one.count_success(second, timing, "applied", measured=measured)
    elif outcome == "dropped":
        one.seconds[second].dropped += 1
    else:
        for kind in FAILURE_KINDS:
            if kind == outcome:
                answered = kind.startswith(("http", "bad"))
                one.count_failure(
                    second, timing, kind, answered=answered, unknown=True, measured=measured
                )


def document(recording: Recording) -> dict[str, dict[str, dict[str, int]]]:
    """What the recording becomes in measurements.json."""
    content: dict[str, dict[str, dict[str, int]]] = json.loads(
        "".join(measurement_pieces(recording, DURATION, {"generators": []}, Ending()))
    )
    return content


@settings(deadline=None)
@given(events)
def test_what_workers_hand_over_adds_up_to_one_recording(happened: list[Event]) -> None:
    """Three workers' messages, as they travel, merge into what one process would have counted."""
    alone, merged = Recording.of(MODELLED), Recording.of(MODELLED)
    workers = [Recording.of(MODELLED) for _ in range(3)]
    for event in happened:
        record(alone, event)
        record(workers[event[0]], event)
    for worker in workers:
        packed = msgpack.dumps(worker.as_message())
        merged.add_message(msgpack.loads(packed, strict_map_key=False))

    assert alone == merged
    assert document(alone) == document(merged)


@settings(deadline=None)
@given(events)
def test_a_document_adds_up(happened: list[Event]) -> None:
    """Offered = sent + dropped and sent = ok + failed, in all and in the measured phase."""
    recording = Recording.of(MODELLED)
    for event in happened:
        record(recording, event)
    operations = document(recording)["operations"]
    for name in MODELLED:
        one: dict[str, object] = dict(operations[name])
        mine = [event for event in happened if event[1] == name]
        measured = [event for event in mine if 0 <= event[2]]

        assert len(measured) == one["offered"]
        assert sum(event[5] == "ok" for event in measured) == one["ok"]
        assert sum(event[5] == "dropped" for event in measured) == one["dropped"]
        assert sum(event[5] in FAILURE_KINDS for event in measured) == one["failed"]
        arrived = [event for event in mine if event[5] == "ok"]
        ends = [(event[2] + event[3]) // 1_000_000 for event in arrived]
        assert sum(0 <= end < DURATION for end in ends) == one["achieved"]


def test_a_document_by_hand() -> None:
    """One request of each outcome, looked at number by number."""
    recording = Recording.of(MODELLED)
    for event in (
        (0, "submit", -500_000, 700, 600, "ok"),  # warm-up
        (0, "submit", 100_000, 2_500, 2_000, "ok"),
        (0, "submit", 2_900_000, 300_000, 299_000, "ok"),  # arrives in the drain
        (0, "submit", 1_000_000, 61_000_000, 60_500_000, "timeout"),
        (0, "submit", 1_500_000, 900, 800, "http_5xx"),
        (0, "submit", 1_600_000, 0, 0, "dropped"),
    ):
        record(recording, event)
    one: dict[str, object] = dict(document(recording)["operations"]["submit"])
    response = HdrHistogram.decode(str(one.pop("response_us")))
    service = HdrHistogram.decode(str(one.pop("service_us")))
    failed = HdrHistogram.decode(str(one.pop("failed_response_us")))
    rows = {row.pop("second"): row for row in one.pop("seconds")}  # type: ignore[attr-defined]

    assert {
        "offered": 5, "sent": 4, "dropped": 1, "ok": 2, "failed": 2, "completed": 3,
        "achieved": 1, "overflow": 1,
        "failures": [
            {"kind": "http_5xx", "count": 1, "first_second": 1, "last_second": 1},
            {"kind": "timeout", "count": 1, "first_second": 1, "last_second": 1},
        ],
        "all": {
            "offered": 6, "sent": 5, "dropped": 1, "ok": 3, "failed": 2, "unknown": 2,
            "statuses": {"applied": 3}, "reconnects": 0,
        },
    } == one  # fmt: skip
    assert (2, 2, 2) == (response.total_count, service.total_count, failed.total_count)
    assert {
        "offered": 1, "sent": 1, "dropped": 0, "ok": 1, "failed": 0, "completed": 1,
        "response_us": {"2500": 1},
    } == rows[0]  # fmt: skip
    assert {
        "offered": 0, "sent": 0, "dropped": 0, "ok": 0, "failed": 0, "completed": 1,
        "response_us": {},
    } == rows[3]  # fmt: skip
    assert [0, 1, 2, 3] == sorted(rows)


def test_the_kinds_of_failure_are_a_closed_set() -> None:
    """The list that is iterated and the type that is checked are the same."""
    assert get_args(FailureKind) == FAILURE_KINDS


@pytest.mark.parametrize("ended", ["completed", "worker-lost"])
def test_the_ending_stands_in_the_document(ended: str) -> None:
    """How the run ended is written with its reason."""
    content = json.loads(
        "".join(measurement_pieces(Recording.of(MODELLED), DURATION, {}, Ending(ended, "because")))
    )

    assert (1, ended, "because") == (
        content["schema_version"], content["ended"], content["end_reason"],
    )  # fmt: skip


@settings(deadline=None)
@given(events, st.integers(-1, DURATION), st.data())
def test_a_second_is_written_once_and_forgotten(
    happened: list[Event], before: int, data: st.DataObject
) -> None:
    """Whenever seconds are settled, no total changes, and no second is lost or written twice."""
    whole, folded = Recording.of(MODELLED), Recording.of(MODELLED)
    cut = data.draw(st.integers(0, len(happened)))
    lines: list[str] = []
    for number, event in enumerate(happened):
        if number == cut:
            lines += settled_lines(folded, before)
            for one in folded.operations.values():
                one.settle(before)
        record(whole, event)
        record(folded, event)
    lines += settled_lines(folded, before)
    for one in folded.operations.values():
        one.settle(before)
    offered: Counter[tuple[str, int]] = Counter()
    for line in map(json.loads, lines):
        assert line["second"] < before
        offered[line["operation"], line["second"]] += line["offered"]
    for name, operation in document(folded)["operations"].items():
        for row in operation.pop("seconds"):  # type: ignore[attr-defined]
            assert row["second"] >= before
            offered[name, row["second"]] += row["offered"]
    expected = document(whole)["operations"]
    rows = {name: one.pop("seconds") for name, one in expected.items()}

    assert expected == {
        name: {key: one for key, one in operation.items() if key != "seconds"}
        for name, operation in document(folded)["operations"].items()
    }
    assert offered == Counter(
        {
            (name, row["second"]): row["offered"]
            for name, one in rows.items()
            for row in one  # type: ignore[attr-defined]
        }
    )
