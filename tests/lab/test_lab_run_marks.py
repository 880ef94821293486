import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documented_grafana import DocumentedGrafana, documented_grafana
from flooding_service import flooding_service
from free_ports import free_port

from lab import grafana as grafana_module
from lab import grafana as run_marks
from lab.cli.variables import Variables
from lab.grafana import Grafana, RunMarks, grafana_of, warn_in_record

RUN_ID = "20260101T000000Z-peak-naive"
FACTS: dict[str, Any] = {
    "measured_from": "2026-01-01T00:00:10.000Z",
    "measured_to": "2026-01-01T00:01:10.000Z",
    "ended_at": "2026-01-01T00:01:11.500Z",
    "verdict": {"status": "pass", "reasons": ["every operation achieved what was offered"]},
    "warnings": ["600 players were loaded; scale 0.001 stands for 12,000."],
}
BEGAN_MS = 1_767_225_600_000


@pytest.fixture
def grafana() -> Iterator[DocumentedGrafana]:
    """A Grafana."""
    with documented_grafana() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The directory of a run that passed."""
    return recorded(tmp_path, FACTS)


def recorded(folder: Path, facts: dict[str, Any]) -> Path:
    """A run directory with these facts."""
    (folder / "run.json").write_text(json.dumps(facts))
    return folder


def marked(grafana: Grafana, folder: Path) -> RunMarks:
    """Mark a run from its start to its end."""
    marks = RunMarks(grafana, "naive", RUN_ID)
    marks.start()
    marks.finish(folder)
    return marks


def unnamed(url: str) -> Grafana:
    """The Grafana that is looked for when nobody named one."""
    return Grafana(url, None, is_named=False)


def test_start_measured_phase_and_end_are_marked(grafana: DocumentedGrafana, folder: Path) -> None:
    """Tagged with hotboard, the mode and the run; the measured phase is a span."""
    marks = marked(unnamed(grafana.url), folder)
    start, measured, end = grafana.annotations

    assert [] == marks.take_warnings()
    assert [["hotboard", "naive", RUN_ID]] * 3 == [one["tags"] for one in grafana.annotations]
    assert ("start", None) == (start["text"], start["timeEnd"])
    assert abs(start["time"] / 1000 - time.time()) < 60
    assert {
        "text": "measured phase", "time": BEGAN_MS + 10_000, "timeEnd": BEGAN_MS + 70_000,
    }.items() <= measured.items()  # fmt: skip
    assert {"text": "end, verdict: pass", "time": BEGAN_MS + 71_500}.items() <= end.items()


def test_no_proxy_stands_before_a_grafana_of_this_machine(
    grafana: DocumentedGrafana, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy of the shell's is for other machines."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")

    marked(unnamed(grafana.url), folder)

    assert len(grafana.annotations) == 3


def test_a_fault_is_marked_as_a_span(grafana: DocumentedGrafana, folder: Path) -> None:
    """While the run goes on, from when it began to when it was over."""
    marks = RunMarks(unnamed(grafana.url), "naive", RUN_ID)
    marks.fault("Redis killed", BEGAN_MS / 1000 + 20, BEGAN_MS / 1000 + 21.5)
    marks.finish(folder)

    assert {
        "text": "Redis killed", "time": BEGAN_MS + 20_000, "timeEnd": BEGAN_MS + 21_500,
    }.items() <= grafana.annotations[0].items()  # fmt: skip


def test_a_run_that_was_stopped_ends_its_measured_phase_early(
    grafana: DocumentedGrafana, tmp_path: Path
) -> None:
    """The span ends where the run does, and the reasons of the verdict are told."""
    verdict = {"status": "invalid", "reasons": ["stopped by SIGINT (Ctrl-C)"]}
    facts = FACTS | {"ended_at": "2026-01-01T00:00:15.000Z", "verdict": verdict}
    marked(unnamed(grafana.url), recorded(tmp_path, facts))
    _, measured, end = grafana.annotations

    assert BEGAN_MS + 15_000 == measured["timeEnd"]
    assert "end, verdict: invalid; stopped by SIGINT (Ctrl-C)" == end["text"]


def test_a_run_that_measured_nothing_has_no_measured_phase(
    grafana: DocumentedGrafana, tmp_path: Path
) -> None:
    """One that ended while it loaded is marked at its start and its end."""
    facts = FACTS | {"measured_from": None, "measured_to": None, "verdict": None}
    marked(unnamed(grafana.url), recorded(tmp_path, facts))

    assert ["start", "end, verdict: none"] == [one["text"] for one in grafana.annotations]


def test_a_run_that_never_began_has_no_end(grafana: DocumentedGrafana, tmp_path: Path) -> None:
    """Without a record there is nothing to tell."""
    marked(unnamed(grafana.url), tmp_path)

    assert ["start"] == [one["text"] for one in grafana.annotations]


def test_a_token_is_sent_as_one(grafana: DocumentedGrafana, folder: Path) -> None:
    """A Grafana that was named takes the token of an editor."""
    grafana.authorization = "Bearer of-an-editor"
    marked(Grafana(grafana.url, "of-an-editor", is_named=True), folder)

    assert 3 == len(grafana.annotations)


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        ("of-nobody", "it refused them (Unauthorized): give an editor's token in GRAFANA_TOKEN"),
        (None, "GRAFANA_TOKEN is missing: give the token of an editor"),
    ],
)
def test_a_wrong_token_is_a_warning(
    grafana: DocumentedGrafana,
    folder: Path,
    token: str | None,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Said once, in the log and for the record; Grafana is not asked again."""
    grafana.authorization = "Bearer of-an-editor"
    marks = marked(Grafana(grafana.url, token, is_named=True), folder)
    expected = f"This run is not marked in Grafana at {grafana.url}: {sentence}."

    assert [expected] == marks.take_warnings()
    assert f"{expected}\n" == capsys.readouterr().err
    assert [] == grafana.annotations


def test_a_grafana_that_repeats_the_token_does_not_make_it_known(
    grafana: DocumentedGrafana, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither on the terminal nor in the record; and what it says is no order to the terminal."""
    grafana.complaint = "no \x1b[2J glsa_secret, http://me:pw@h" + "!" * 10_000
    marks = marked(Grafana(grafana.url, "glsa_secret", is_named=True), folder)
    (warning,) = marks.take_warnings()

    assert "it refused them (Client Error 403: no �[2J ***, http://me:***@h!!!" in warning
    assert 700 > len(warning)
    assert f"{warning}\n" == capsys.readouterr().err


def test_a_grafana_that_never_ends_an_answer_is_no_grafana(folder: Path) -> None:
    """It is read as far as an answer of Grafana's could go."""
    with flooding_service() as url:
        (warning,) = marked(Grafana(f"{url}/body", "a", is_named=True), folder).take_warnings()

    assert "no Grafana answers there (JSONDecodeError)" in warning


def test_a_slow_grafana_is_waited_for_only_a_little(
    grafana: DocumentedGrafana, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start waits for nothing, the end for the patience there is: neither for an answer."""
    monkeypatch.setattr(grafana_module, "_ANSWER_SECONDS", 600.0)
    monkeypatch.setattr(run_marks, "_PATIENCE_SECONDS", 600.0)
    grafana.is_answering.clear()
    marks = RunMarks(unnamed(grafana.url), "naive", RUN_ID)
    marks.start()
    left_at_start = list(grafana.annotations)
    monkeypatch.setattr(run_marks, "_PATIENCE_SECONDS", 0.3)
    marks.finish(folder)

    # whoever waits for the answer comes back only when it is there
    assert ([], []) == (left_at_start, grafana.annotations)
    (warning,) = marks.take_warnings()
    assert warning.endswith("it did not answer within 0.3 s.")


def test_no_grafana_is_no_news_unless_it_was_named(folder: Path) -> None:
    """Most runs have none; a name that leads nowhere is a mistake worth a warning."""
    url = f"http://127.0.0.1:{free_port()}"
    (warning,) = marked(Grafana(url, "a", is_named=True), folder).take_warnings()

    assert [] == marked(unnamed(url), folder).take_warnings()
    assert "no Grafana answers there (ConnectionError)" in warning


def test_what_is_no_grafana_is_left_alone(grafana: DocumentedGrafana, folder: Path) -> None:
    """Many a program listens on port 3000."""
    grafana.is_grafana = False
    marks = marked(unnamed(grafana.url), folder)

    assert ([], []) == (marks.take_warnings(), grafana.annotations)


def test_warnings_reach_the_record_beside_the_others(folder: Path) -> None:
    """run.json keeps what it holds."""
    warn_in_record(folder, ["not marked"])
    found = json.loads((folder / "run.json").read_text())

    assert FACTS | {"warnings": [*FACTS["warnings"], "not marked"]} == found


def test_no_record_no_warning(tmp_path: Path) -> None:
    """A run that never began has nowhere to warn."""
    warn_in_record(tmp_path, ["not marked"])

    assert [] == list(tmp_path.iterdir())


def test_the_default_is_where_compose_and_watch_have_theirs() -> None:
    """GRAFANA_PORT moves it; GRAFANA_URL names another one."""
    named = Variables(grafana_url="https://grafana.example/sub/", grafana_token="t")  # noqa: S106  no secret

    assert unnamed("http://127.0.0.1:3001") == grafana_of(Variables(grafana_port=3001))
    assert Grafana("https://grafana.example/sub", "t", is_named=True) == grafana_of(named)


def test_a_token_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command in a run's record names no token."""
    monkeypatch.setenv("GRAFANA_TOKEN", "secret")
    monkeypatch.setenv("SCALE", "0.002")

    assert "make load-naive SCALE=0.002" == Variables().repeating("load")
