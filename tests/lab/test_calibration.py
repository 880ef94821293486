"""Where the tiers belong: known answers, and no more than the totals support."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.calibration.command import calibrate
from lab.calibration.proposal import ProposedTier, propose, rounded_down, rounded_up
from lab.calibration.totals import read_past_totals
from lab.cli import problems as given_file
from lab.cli.problems import Problems
from lab.cli.variables import Variables
from lab.errors import UsageError
from lab.stack.checkout_lock import Checkout

WEEKS = "period,total\n2026-W01,612000\n2026-W02,598000\n2026-W03,640100\n2026-W04,601500\n"
EVENT: dict[str, Any] = {
    "event_id": "autumn",
    "version": 2,
    "state": "closed",
    "aggregate": {"field": "miles", "kind": "sum", "unit": "mile"},
    "late": 12,
    "tiers": [
        {"name": name, "threshold": threshold}
        for name, threshold in (("bronze", 600_000), ("silver", 700_000), ("gold", 800_000))
    ],
    "final": {"total": 624_836, "races": 70_000, "contributors": 900},
}


def _weeks(folder: Path, text: str = WEEKS) -> Path:
    (path := folder / "weeks.csv").write_text(text)
    return path


def _event(folder: Path, **changed: object) -> str:
    (path := folder / "event.json").write_text(json.dumps(EVENT | changed))
    return str(path)


def _printed(capsys: pytest.CaptureFixture[str], variables: Variables, root: Path) -> list[str]:
    assert calibrate(variables, Checkout(root), Problems()) == 0
    return capsys.readouterr().out.splitlines()


def test_tiers_from_past_totals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with how many of the periods would have cleared it, and the method."""
    told = _printed(capsys, Variables(totals=_weeks(tmp_path)), tmp_path)

    assert told[:5] == [
        "Past periods: 4, from 598,000 to 640,100.",
        "Next thresholds, from 4 measured:",
        "  bronze            600,000  3 of 4 would have cleared it",
        "  silver            650,000  0 of 4 would have cleared it",
        "  gold              680,000  0 of 4 would have cleared it",
    ]
    assert told[5].startswith("Method, to two digits: bronze is the median")


def test_an_event_that_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The floor, each tier in the words of the API, and one event proposes one tier."""
    told = _printed(capsys, Variables(event=_event(tmp_path)), tmp_path)

    assert told == [
        "Event autumn ended with 624,836 (unit: mile) in 70,000 races of 900 players.",
        "Unless players were called on to race, they do as much anyway; the service cannot know.",
        "After the end came 12 races, not in it.",
        "  bronze            600,000  complete, 24,836 above it",
        "  silver            700,000  not_reached, missing 75,164 (10.7 % of it)",
        "  gold              800,000  locked, missing 175,164 (21.9 % of it)",
        "Next thresholds, from 1 measured:",
        "  bronze            620,000  1 of 1 would have cleared it",
        "Method: bronze is the lowest total, rounded down to two digits.",
        "One total has no spread: silver and gold would be guesses. At least 4 are needed.",
        "What a call to race adds has not been measured by any of these.",
    ]


def test_a_run_and_past_totals_are_put_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The latest run that has an event is found; its total is one more period."""
    runs = tmp_path / "reports" / "runs"
    for name, scenario in (
        ("20260101T000000Z-odometer-naive", {"community_event": {"event": EVENT}}),
        ("20260102T000000Z-odometer-naive", {}),
        ("20260103T000000Z-peak-naive", {"community_event": {"event": None}}),
    ):
        (runs / name).mkdir(parents=True)
        (runs / name / "measurements.json").write_text(json.dumps({"scenario": scenario}))
    variables = Variables(totals=_weeks(tmp_path), run="latest")
    told = _printed(capsys, variables, tmp_path)

    assert told[1].startswith("Event autumn ended with 624,836")
    assert "Next thresholds, from 5 measured:" in told
    with pytest.raises(UsageError, match="RUN=20260103T000000Z-peak-naive is no run with"):
        calibrate(Variables(run="20260103T000000Z-peak-naive"), Checkout(tmp_path), Problems())


@pytest.mark.parametrize("total", [202_249, 1_820_252])
def test_totals_far_apart_are_not_put_together(tmp_path: Path, total: int) -> None:
    """Beyond a factor of 3 from the median of the others, which is 606,750; not at it."""
    weeks = _weeks(tmp_path)
    event = _event(tmp_path, final=EVENT["final"] | {"total": total})
    with pytest.raises(UsageError) as caught:
        calibrate(Variables(totals=weeks, event=event), Checkout(tmp_path), Problems())

    (problem,) = caught.value.problems

    assert problem == (
        f"EVENT={event} ended with {total:,}, the median of the other totals is 606,750: more "
        "than 3 times apart, they are not of the same length or the same players. "
        "Leave it out, or calibrate from it alone."
    )
    for near in (202_250, 1_820_250):
        event = _event(tmp_path, final=EVENT["final"] | {"total": near})

        assert calibrate(Variables(totals=weeks, event=event), Checkout(tmp_path), Problems()) == 0


def test_an_event_in_which_nobody_raced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It proposes nothing."""
    final = {"total": 0, "races": 0, "contributors": 0}
    told = _printed(capsys, Variables(event=_event(tmp_path, final=final, tiers=[])), tmp_path)

    assert told[-1] == "Nothing came together, so nothing is proposed."
    assert "  It had no tiers: it was a measurement." in told


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, "Nothing to calibrate from"),
        ({"totals": "missing.csv"}, "TOTALS=.*missing.csv cannot be read"),
        ({"event": "missing.json"}, "EVENT=missing.json cannot be read"),
        ({"totals": "/dev/zero"}, "TOTALS=/dev/zero cannot be read: Not a file."),
        ({"event": "/dev/zero"}, "EVENT=/dev/zero cannot be read: Not a file."),
        ({"totals": "/"}, "TOTALS=/ cannot be read: Is a directory."),
        ({"event": "http://127.0.0.1:1/v2/events/e"}, "EVENT=http.* cannot be read"),
        ({"event": "http://me:pw@h/e"}, r"EVENT=http://me:\*\*\*@h/e .*: leave them out\."),
        ({"event": "http://h/e?token=pw"}, r"EVENT=http://h/e\?token=\*\*\* cannot be read"),
        ({"event": "http://[v2/events/e"}, "EVENT=http.* cannot be read"),
        ({"event": "http://127.0.0.1:1 /e"}, "EVENT=http.* cannot be read"),
        ({"run": "latest"}, "RUN=latest is no run with a community event"),
        ({"run": "x" * 300}, "RUN=x*: .* cannot be read: File name too long."),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, variables: dict[str, Any], told: str) -> None:
    """With its variable."""
    with pytest.raises(UsageError, match=told):
        calibrate(Variables(**variables), Checkout(tmp_path), Problems())


@pytest.mark.parametrize(
    "content", ["[]", '{"scenario": [1]}', '{"scenario": {"community_event": 1}}']
)
def test_a_run_of_another_shape_has_no_event(tmp_path: Path, content: str) -> None:
    """Its directory may be anybody's."""
    (tmp_path / "measurements.json").write_text(content)

    with pytest.raises(UsageError, match="is no run with a community event"):
        calibrate(Variables(run=str(tmp_path)), Checkout(tmp_path), Problems())


def test_a_file_of_any_length_fills_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read as far as files of this kind go."""
    monkeypatch.setattr(given_file, "LARGEST_BYTES", 1_000)
    path = tmp_path / "totals.csv"
    with path.open("wb") as file:
        file.truncate(2**40)

    with pytest.raises(UsageError, match="cannot be read: Longer than 1,000 bytes"):
        calibrate(Variables(totals=path), Checkout(tmp_path), Problems())


def test_an_event_that_goes_on_has_no_floor_yet(tmp_path: Path) -> None:
    """And what is no event is told as that."""
    for changed, told in (
        ({"final": None, "state": "open"}, "event autumn is open"),
        ({"final": {"total": "many"}}, "is no event as GET .*: 'many' is no count."),
        ({"final": {"total": 1, "races": 1}}, "is no event as GET .*: it lacks contributors."),
        ({"late": float("inf")}, "is no event as GET"),
        ({"final": EVENT["final"] | {"total": -1}}, "-1 is no count"),
    ):
        with pytest.raises(UsageError, match=told):
            calibrate(Variables(event=_event(tmp_path, **changed)), Checkout(tmp_path), Problems())


def test_the_first_version_does_not_say_how_an_event_ended(tmp_path: Path) -> None:
    """Which one does is told, in place of what it lacks."""
    first = {"event_id": "autumn", "state": "closed", "total": 624_836, "tier": "bronze"}
    (path := tmp_path / "v1.json").write_text(json.dumps(first))

    with pytest.raises(UsageError) as caught:
        calibrate(Variables(event=str(path)), Checkout(tmp_path), Problems())
    (problem,) = caught.value.problems
    assert problem == (
        f"EVENT={path} is the event in another version than 2, and does not say how it ended. "
        "Name GET /v2/events/<id>, or a file of its answer."
    )


def test_bad_rows_are_all_told(tmp_path: Path) -> None:
    """With their lines; so are a file without rows and one with other columns."""
    bad = _weeks(tmp_path, WEEKS + "W5\nW6,-1\nW7,1.5\nW8,0\n\nW9,600000\n")
    with pytest.raises(UsageError) as caught:
        read_past_totals(bad)

    assert [problem.split(":")[0].rpartition(" ")[2] for problem in caught.value.problems] == [
        *("6", "7", "8", "9"),
    ]
    for text, told in (("week,miles\n", "first line must be"), ("period,total\n", "no rows")):
        with pytest.raises(UsageError, match=told):
            read_past_totals(_weeks(tmp_path, text))


def test_totals_that_hardly_differ_propose_one_tier() -> None:
    """Nothing says how far above them a goal may lie."""
    proposal = propose([600_000] * 6)

    assert proposal.tiers == (ProposedTier("bronze", 600_000, 6),)
    assert proposal.reservation is not None


@given(st.lists(st.integers(1, 2**53 - 1), min_size=1, max_size=30))
def test_whatever_was_measured(totals: list[int]) -> None:
    """Thresholds rise and are positive, and the counts are those of the totals."""
    tiers = propose(totals).tiers

    assert [tier.name for tier in tiers] == ["bronze", "silver", "gold"][: len(tiers)]
    assert [tier.threshold for tier in tiers] == sorted({tier.threshold for tier in tiers})
    assert tiers[0].threshold >= 1
    assert all(tier.cleared_by == sum(t >= tier.threshold for t in totals) for tier in tiers)
    assert all(rounded_down(total) <= total <= rounded_up(total) for total in totals)


def test_all_that_cannot_be_read_is_told_at_once(tmp_path: Path) -> None:
    """Each in a sentence without an errno, also an event that is nested too deeply to be one."""
    (deep := tmp_path / "deep.json").write_text("[" * 100_000)
    named = Variables(totals=tmp_path / "missing.csv", event=str(deep), run="latest")

    with pytest.raises(UsageError) as caught:
        calibrate(named, Checkout(tmp_path), Problems())

    totals, event, run = caught.value.problems
    assert totals.endswith("missing.csv cannot be read: No such file or directory.")
    assert event.startswith(f"EVENT={deep} cannot be read: ")
    assert run.startswith("RUN=latest is no run")
