import json
from dataclasses import replace

import pytest
from load_plans import PLAN

from locustfiles.http.connection import FailureKind
from locustfiles.http.dialer import read_address
from locustfiles.operations import MAKERS
from locustfiles.operations.contract import Operation, Reply
from locustfiles.operations.odometer import AcknowledgedMiles
from locustfiles.recording.last_scores import Accepted
from locustfiles.schedule.arrival import Arrival
from workload.assumptions import Assumptions
from workload.operations import OPERATIONS

ADDRESS = read_address("https://boards.example/api")
ARRIVAL = Arrival(41, 1_000, 13, 777)
PLACE = "lb:na-east:duo:s1"


def made(name: str) -> Operation:
    """An operation of the small plan."""
    return MAKERS[name](PLAN, ADDRESS, AcknowledgedMiles())


def parts(request: bytes) -> tuple[str, dict[str, str], bytes]:
    """Request line, headers and body."""
    head, _, body = request.partition(b"\r\n\r\n")
    line, *headers = head.decode().split("\r\n")
    return line, dict(header.split(": ", 1) for header in headers), body


def test_submit_writes_one_event() -> None:
    """The event names the run and the arrival; its board is the player's."""
    line, headers, body = parts(made("submit").request(ARRIVAL))

    assert "POST /api/v1/scores HTTP/1.1" == line
    assert {
        "Host": "boards.example",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
    } == headers
    assert {
        "event_id": "20260101T000000Z-peak-naive-41",
        "player_id": "player-00013",
        "region": "na-east",
        "mode": "duo",
        "season": "s1",
        "score": 777,
        "sequence": PLAN.sequence_base + 2 * (1 + 41),
    } == json.loads(body)


def test_the_first_write_has_the_first_sequence_after_the_loading() -> None:
    """Loading used the base, so the first arrival of the warm-up has the next number."""
    plan = replace(PLAN, warmup_seconds=2)
    submit = MAKERS["submit"](plan, ADDRESS, AcknowledgedMiles())
    body = parts(submit.request(Arrival(-480, -2_000_000, 1, 1)))[2]

    assert PLAN.sequence_base + 2 == json.loads(body)["sequence"]


def test_an_overtaken_event_is_older_than_what_overtook_it_and_newer_than_all_before() -> None:
    """Its own id and score, and a sequence just below that of the newer event."""
    late = Arrival(45, 1_000, 13, 5, overtaken_by=41)
    bodies = [
        json.loads(parts(made("submit").request(one))[2])
        for one in (ARRIVAL._replace(number=40), late, ARRIVAL)
    ]
    before, overtaken, newer = (body["sequence"] for body in bodies)

    assert (before, newer) == (overtaken - 1, overtaken + 1)
    assert (f"{PLAN.run_id}-45", 5) == (bodies[1]["event_id"], bodies[1]["score"])
    reply = made("submit").judge(late, 200, b'{"status":"applied"}')
    assert Accepted(overtaken, 5) == reply.accepted


def test_reads_ask_for_pages() -> None:
    """The sizes are the scenario's, the board is the player's."""
    top, headers, _ = parts(made("top").request(ARRIVAL))
    around, _, _ = parts(made("around").request(ARRIVAL))

    assert "GET /api/v1/top?k=10&season=s1 HTTP/1.1" == top
    assert {"Host": "boards.example"} == headers
    assert (
        "GET /api/v1/boards/na-east/duo/s1/players/player-00013/around?window=2 HTTP/1.1" == around
    )


def test_every_operation_of_the_model_is_made_under_its_name() -> None:
    """The workload's list and the list of makers are one."""
    assert list(OPERATIONS) == [made(name).name for name in MAKERS]


def test_ranks_are_asked_for_as_counted_or_as_bounded() -> None:
    """Both are the same route, distinguished by what the reader accepts."""
    exact, bounded = (
        parts(made(name).request(ARRIVAL))[0] for name in ("rank_exact", "rank_bounded")
    )
    route = "GET /api/v1/boards/na-east/duo/s1/players/player-00013/rank"

    assert f"{route}?consistency=exact HTTP/1.1" == exact
    assert f"{route}?consistency=bounded HTTP/1.1" == bounded


def test_top_reads_the_seasons_one_after_the_other() -> None:
    """With several active seasons a request must name one."""
    plan = replace(PLAN, assumptions=Assumptions(active_seasons=("s1", "s2")))
    top = MAKERS["top"](plan, ADDRESS, AcknowledgedMiles())
    lines = [parts(top.request(Arrival(number, 0, -1, -1)))[0] for number in (-1, 0, 1, 2)]

    assert ["s2", "s1", "s2", "s1"] == [line.split("season=")[1].split()[0] for line in lines]


def test_a_foreign_service_gets_its_own_players() -> None:
    """Players of a load test differ from real ones by their prefix."""
    plan = replace(PLAN, player_prefix="hotboard-")
    submit, around = (
        MAKERS[name](plan, ADDRESS, AcknowledgedMiles()) for name in ("submit", "around")
    )
    row = {"player": "hotboard-player-00013", "score": 1, "position": 1}
    answer = {"player": row["player"], "position": 1, "entries": [row]}

    assert "hotboard-player-00013" == json.loads(parts(submit.request(ARRIVAL))[2])["player_id"]
    assert b"/hotboard-player-00013/around" in around.request(ARRIVAL)
    assert Reply(None) == around.judge(ARRIVAL, 200, json.dumps(answer).encode())


ENTRY = '{"player":"player-00013","score":5,"position":3,"partition":"lb:eu:duo:s1"}'
EVENT = Accepted(PLAN.sequence_base + 2 * (1 + 41), ARRIVAL.score)
OTHER = '{"player":"player-00014","score":5,"position":4,"partition":"lb:eu:duo:s1"}'


@pytest.mark.parametrize(
    ("caption", "name", "status", "body", "expected"),
    [
        ("applied", "submit", 200, '{"status":"applied"}', Reply(None, "applied", EVENT)),
        ("duplicate", "submit", 200, '{"status":"duplicate"}', Reply(None, "duplicate")),
        ("durable only", "submit", 202, '{"status":"durable-only"}',
         Reply(None, "durable-only", EVENT)),
        ("stale", "submit", 200, '{"status":"stale"}', Reply(None, "stale")),
        ("another status word", "submit", 200, '{"status":"fine"}', Reply("bad_body")),
        ("no JSON", "submit", 200, "applied", Reply("bad_body")),
        ("created", "submit", 201, '{"status":"applied"}', Reply("other")),
        ("entries", "top", 200, f'{{"entries":[{ENTRY}],"as_of":"x"}}', Reply(None)),
        ("perhaps behind", "top", 200, f'{{"entries":[{ENTRY}],"as_of":"x","recovering":true}}',
         Reply(None, "recovering")),
        ("no time", "top", 200, f'{{"entries":[{ENTRY}]}}', Reply("bad_body")),
        ("empty", "top", 200, '{"entries":[],"as_of":"x"}', Reply("bad_body")),
        ("more than K", "top", 200, f'{{"entries":[{",".join([ENTRY] * 11)}],"as_of":"x"}}',
         Reply("bad_body")),
        ("the page", "around", 200,
         f'{{"player":"player-00013","position":3,"entries":[{OTHER},{ENTRY}]}}', Reply(None)),
        ("another's page", "around", 200,
         f'{{"player":"player-00014","position":4,"entries":[{OTHER}]}}', Reply("bad_body")),
        ("not on the page", "around", 200,
         f'{{"player":"player-00013","position":3,"entries":[{OTHER}]}}', Reply("bad_body")),
        ("a rank", "rank_exact", 200, '{"player":"player-00013","rank":1}', Reply(None)),
        ("no rank", "rank_exact", 200, '{"player":"player-00013"}', Reply("bad_body")),
        ("rank 0", "rank_bounded", 200, '{"player":"player-00013","rank":0}', Reply("bad_body")),
        ("another's rank", "rank_bounded", 200, '{"player":"player-00014","rank":1}',
         Reply("bad_body")),
        ("too many questions", "rank_exact", 429, "{}", Reply("http_4xx")),
        ("elsewhere on the page", "around", 200,
         f'{{"player":"player-00013","position":9,"entries":[{ENTRY}]}}', Reply("bad_body")),
    ],
)  # fmt: skip
def test_an_answer_is_judged_by_what_was_promised(
    caption: str, name: str, status: int, body: str, expected: Reply
) -> None:
    """A success without what the operation promises is none."""
    assert expected == made(name).judge(ARRIVAL, status, body.encode()), caption


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_body_nested_too_deeply_is_a_bad_one(name: str) -> None:
    """A service that answers with nonsense fails its request, and not the generator."""
    body = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"

    assert Reply("bad_body") == made(name).judge(ARRIVAL, 200, body)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [(301, "other"), (404, "http_4xx"), (429, "http_4xx"), (500, "http_5xx"), (503, "http_5xx")],
)
def test_other_statuses_are_failures(name: str, status: int, kind: FailureKind) -> None:
    """Their bodies are looked at only for what Redis refused."""
    assert Reply(kind) == made(name).judge(ARRIVAL, status, b"{}")


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("READONLY", "redis_readonly"),
        ("NOPERM", "redis_noperm"),
        ("OOM", "redis_oom"),
        ("MISCONF", "redis_refused"),
        ("", "http_5xx"),
    ],
)
def test_what_redis_refused_is_a_kind_of_its_own(name: str, code: str, kind: FailureKind) -> None:
    """The service passes the code on, and failures.csv names it."""
    body = f'{{"status":503,"redis_error":"{code}"}}'.encode()

    assert Reply(kind) == made(name).judge(ARRIVAL, 503, body)
