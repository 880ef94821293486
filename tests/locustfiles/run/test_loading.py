import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from gevent.socket import socket
from gevent_server import Peer, Script, answer, serving, silent
from load_plans import PLAN
from stub_service import DESCRIPTION

from locustfiles.errors import RunCutShort
from locustfiles.http.dialer import Dialer
from locustfiles.options import SCENARIOS, RunOptions
from locustfiles.recording.last_scores import Accepted, LastScores
from locustfiles.run import loading
from locustfiles.run.inputs import RunInputs
from locustfiles.run.loading import Loader, Loading
from locustfiles.run.target import Boards, Description
from workload.dataset import build_dataset
from workload.scenario import load_scenario

SMALL = replace(PLAN, players=100)


def inputs_for(dialer: Dialer, batch_events: int) -> RunInputs:
    """The inputs of a run against a server."""
    words: dict[str, Any] = DESCRIPTION | {
        "limits": DESCRIPTION["limits"] | {"batch_events": batch_events}  # type: ignore[operator]
    }
    description = Description(msgspec.json.decode(json.dumps(words), type=Boards), words)
    scenario = load_scenario(SCENARIOS / "peak.toml")
    options = RunOptions(
        scenario, "0.001", 1, 0, SMALL.seed, None, None, False, None, "", dialer.address.url, 1
    )
    return RunInputs(options, scenario, dialer, description, Path("unused"), SMALL)


def loaded(
    script: Script, batch_events: int
) -> tuple[Loading, LastScores, Peer, RunCutShort | None]:
    """Load a hundred players; how far it came, and why it ended early."""
    state, scores, early = Loading(SMALL.players), LastScores(), None
    with serving(script) as (dialer, peer):
        try:
            Loader(inputs_for(dialer, batch_events), state, scores).run(lambda: None)
        except RunCutShort as error:
            early = error
    return state, scores, peer, early


def taking(batches: int, then: bytes) -> Script:
    """Apply some batches, then answer something else."""

    def script(stream: socket, peer: Peer) -> None:
        while (request := peer.read(stream)) is not None:
            events = len(json.loads(request.partition(b"\r\n\r\n")[2])["event_id"])
            applied = json.dumps({"counts": {"applied": events}}).encode()
            stream.sendall(answer(applied) if peer.total <= batches else then)

    return script


def test_every_player_is_loaded_once_on_its_board() -> None:
    """Batches are columns of one board's events, within the service's limit."""
    state, scores, peer, early = loaded(taking(99, b""), batch_events=5)
    bodies = [
        (request.split(b" ")[1].decode(), json.loads(request.partition(b"\r\n\r\n")[2]))
        for requests in peer.requests
        for request in requests
    ]
    players = [player for _, body in bodies for player in body["player_id"]]
    dataset = build_dataset(SMALL.players, tuple(DESCRIPTION["partitions"]), SMALL.seed)  # type: ignore[arg-type]

    assert early is None
    assert (100, 100, 24, 0) == (state.events, state.ok, state.batches, state.unknown)
    assert {f"player-{number:05d}" for number in range(100)} == set(players)
    assert 100 == len(players)
    assert all({len(body["event_id"])} == set(map(len, body.values())) for _, body in bodies)
    assert 5 == max(len(body["event_id"]) for _, body in bodies)
    assert {SMALL.sequence_base} == {n for _, body in bodies for n in body["sequence"]}
    assert "/v1/boards/na-east/solo/s1/scores" == bodies[0][0]
    assert ["player-00000", "player-00012"] == bodies[0][1]["player_id"][:2]
    acknowledged = [Accepted(SMALL.sequence_base, score) for score in dataset.scores]
    assert dict(enumerate(acknowledged)) == scores.accepted


def test_a_batch_that_is_durable_only_is_loaded() -> None:
    """202 is kept for good: the ranking follows."""

    def script(stream: socket, peer: Peer) -> None:
        while (request := peer.read(stream)) is not None:
            events = len(json.loads(request.partition(b"\r\n\r\n")[2])["event_id"])
            counts = json.dumps({"counts": {"applied": events}}).encode()
            stream.sendall(answer(counts, "202 Accepted"))

    state, _, _, early = loaded(script, batch_events=5000)

    assert early is None
    assert (100, 0) == (state.ok, state.unknown)


def test_a_players_score_is_the_data_sets() -> None:
    """The event id names the run and the player."""
    _, _, peer, _ = loaded(taking(99, b""), batch_events=5000)
    body = json.loads(peer.requests[0][0].partition(b"\r\n\r\n")[2])
    dataset = build_dataset(SMALL.players, tuple(DESCRIPTION["partitions"]), SMALL.seed)  # type: ignore[arg-type]

    assert [f"{SMALL.run_id}-p{n}" for n in range(0, 100, 12)] == body["event_id"]
    assert [dataset.scores[n] for n in range(0, 100, 12)] == body["score"]


@pytest.mark.parametrize(
    ("caption", "then", "expected", "unknown"),
    [
        ("an error", answer(b"busy", "503 Busy"), "the service answered 503 with busy", 9),
        ("too few applied", answer(b'{"counts":{"applied":7}}'), "answered 200", 2),
        ("more than sent", answer(b'{"counts":{"applied":99}}'), "answered 200", 9),
        ("fewer than none", answer(b'{"counts":{"applied":-1}}'), "answered 200", 9),
        ("too deep", answer(b'{"x":' + b"[" * 50_000 + b"}"), "answered 200", 9),
        ("no counts", answer(b"{}"), "answered 200 with {}", 9),
        (
            "a clock set back",
            answer(b'{"counts":{"applied":0,"stale":9}}'),
            "failed: the ledger has later events of these players, of a run that began at a later ",
            9,
        ),
    ],
)
def test_a_batch_that_is_not_applied_whole_ends_the_loading(
    caption: str, then: bytes, expected: str, unknown: int
) -> None:
    """It is not sent again; whose score it was stays uncertain."""
    state, scores, peer, early = loaded(taking(1, then), batch_events=5000)

    assert early is not None
    assert "failed-to-load" == early.ended
    assert "Loading 9 players of lb:na-east:duo:s1 failed" in str(early), caption
    assert expected in str(early)
    assert (2, unknown) == (peer.total, state.unknown)
    assert set(range(1, 100, 12)) == scores.uncertain
    assert set(range(0, 100, 12)) == set(scores.accepted)


def test_a_service_that_does_not_answer_ends_the_loading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A batch has a time limit of its own, whatever the scenario's is."""
    monkeypatch.setattr(loading, "_BATCH_SECONDS", 2.0)  # to connect takes some of it
    state, _, peer, early = loaded(silent, batch_events=5000)

    assert "no answer (timeout)" in str(early)
    assert (1, 0, 9) == (peer.total, state.ok, state.unknown)


def test_a_check_can_stop_between_batches() -> None:
    """A stop leaves no batch half sent."""
    state = Loading(SMALL.players)

    def stop_after_two() -> None:
        if state.batches == 2:
            raise RunCutShort("interrupted", "enough")

    with serving(taking(99, b"")) as (dialer, peer), pytest.raises(RunCutShort, match="enough"):
        Loader(inputs_for(dialer, 5000), state, LastScores()).run(stop_after_two)

    assert (2, 18, 2) == (state.batches, state.ok, peer.total)
