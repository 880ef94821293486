from collections.abc import Iterator

import pytest
from documented_query_api import QueryApi, query_api

from dashboards.datacheck.questions import read
from dashboards.grafanacheck.__main__ import main

QUERIES = sum(len(dashboard.questions) for dashboard in read())
EMPTY: dict[str, object] = {"status": 200, "frames": [{"data": {"values": []}}]}


@pytest.fixture
def grafana() -> Iterator[QueryApi]:
    """A Grafana in which all is well."""
    with query_api() as found:
        yield found


def checked(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str], token: str = ""
) -> tuple[int, list[str]]:
    """The exit code and what was printed."""
    code = main({"GRAFANA_URL": grafana.url, "GRAFANA_TOKEN": token})
    printed = capsys.readouterr()
    return code, (printed.out + printed.err).splitlines()


def test_everything_that_is_there_is_counted(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Health, data source, three dashboards, every query; a proxy is for other machines."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    code, lines = checked(grafana, capsys)

    assert 0 == code, lines
    assert f"Grafana 13.2.3 at {grafana.url}: healthy" == lines[0]
    assert "data source prometheus: Successfully queried the Prometheus API." == lines[1]
    assert (
        f"grafana check: 6 dashboards, {QUERIES} queries answered, none empty, none wrong"
        == lines[-1]
    )
    assert QUERIES == len(grafana.asked)


def test_a_query_is_put_as_grafana_puts_it(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str]
) -> None:
    """The dashboard's variables are filled in, Grafana's own are left to it, with the interval."""
    checked(grafana, capsys)
    queries = [asked["queries"][0] for asked in grafana.asked]

    assert not any("$op" in query["expr"] for query in queries)
    assert any("$__rate_interval" in query["expr"] for query in queries)
    assert {True} == {query["instant"] != query["range"] for query in queries}
    assert {"prometheus"} == {query["datasource"]["uid"] for query in queries}
    assert all(query["intervalMs"] >= 1000 and query["maxDataPoints"] > 0 for query in queries)
    assert all(int(asked["to"]) - int(asked["from"]) >= 300_000 for asked in grafana.asked)


def test_a_refused_query_is_named(grafana: QueryApi, capsys: pytest.CaptureFixture[str]) -> None:
    """With Grafana's own words, whichever way it refuses."""
    grafana.answers = {
        "loadgen_cpu_ratio": (400, {"status": 400, "error": "bad_data: parse error"}),
        "loadgen_inflight": (200, {"status": 500, "error": "no such host"}),
    }
    code, lines = checked(grafana, capsys)

    assert 1 == code
    assert any("Generator: in flight / A was refused: no such host" in line for line in lines)
    assert any("CPU / A was refused: " in line for line in lines)


def test_an_empty_query_is_no_fault(grafana: QueryApi, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the first run all are; they are named, with what fills them."""
    grafana.answers = {"loadgen_dropped_total": (200, EMPTY)}
    code, lines = checked(grafana, capsys)

    assert 0 == code
    assert "  empty: Dropped, Dropped by operation" in lines
    assert lines[-1].startswith("A query is empty until a run in each mode")


def test_a_dashboard_that_is_missing_or_old_is_named(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are checked all the same."""
    del grafana.dashboards["hotboard-generator"]
    grafana.dashboards["hotboard-hot-keys"]["panels"].pop()
    code, lines = checked(grafana, capsys)

    assert 1 == code
    assert "  WRONG not found: Client Error 404: Dashboard not found" in lines
    assert "  WRONG its panels are not those of this checkout: was it reloaded?" in lines
    assert lines[-1].endswith("none empty, 2 wrong")


def test_a_data_source_that_does_not_work_is_named(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str]
) -> None:
    """Grafana answers 400 when its Prometheus is gone."""
    grafana.source = (400, {"status": "ERROR", "message": "connection refused"})
    code, lines = checked(grafana, capsys)

    assert 1 == code
    assert any(line.startswith("WRONG data source prometheus: ") for line in lines)


def test_a_token_opens_what_the_first_login_does_not(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str]
) -> None:
    """The right one does, a wrong one is told by every question it was refused."""
    grafana.authorization = "Bearer right"
    right, _ = checked(grafana, capsys, token="right")  # noqa: S106  no secret
    wrong, lines = checked(grafana, capsys, token="wrong")  # noqa: S106  no secret

    assert (0, 1) == (right, wrong)
    assert "  WRONG not found: Unauthorized" in lines


def test_a_token_that_is_repeated_is_not_printed(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor what a terminal would obey."""
    grafana.authorization = "Bearer glsa_secret"
    grafana.source = (409, {"status": "ERROR", "message": "no \x1b[2J glsa_secret"})
    code, lines = checked(grafana, capsys, token="glsa_secret")  # noqa: S106  no secret

    assert 1 == code
    assert lines[1].endswith("no �[2J ***")
    assert "glsa_secret" not in "".join(lines)


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"GRAFANA_URL": "localhost"}, "localhost is no address of a Grafana"),
        ({"GRAFANA_URL": "http://me:secret@h"}, "GRAFANA_URL names a user, who is not sent: "),
        ({"GRAFANA_PORT": "many"}, "http://127.0.0.1:many is no address of a Grafana"),
        ({"GRAFANA_PORT": "1"}, "http://127.0.0.1:1 does not answer as Grafana does"),
    ],
)
def test_no_grafana_is_said_in_a_sentence(
    environment: dict[str, str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was checked, which is exit code 2."""
    assert 2 == main(environment)
    assert f"There is no Grafana to check: {sentence}" in capsys.readouterr().err


def test_an_unhealthy_grafana_is_not_checked(
    grafana: QueryApi, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its database tells."""
    grafana.database = "failing"
    code, lines = checked(grafana, capsys)

    assert 2 == code
    assert "is not healthy" in lines[0]
