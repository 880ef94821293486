"""The variables of make: typed, checked together, and none ignored in silence."""

from pathlib import Path

import pytest

from lab.cli.problems import Problems
from lab.cli.variables import Variables, contradictions, read_variables, unknown_overrides
from lab.errors import UsageError


def _read() -> Variables:
    problems = Problems()
    variables = read_variables(problems)
    problems.tell()
    return variables


def _problems() -> tuple[str, ...]:
    with pytest.raises(UsageError) as caught:
        _read()
    return caught.value.problems


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAKEFLAGS", "SCALE", "DURATION", "TARGET", "ALLOW_WRITES", "SET", "MODE"):
        monkeypatch.delenv(name, raising=False)


def test_defaults_are_the_documented_ones() -> None:
    """Without any variable the documented defaults hold."""
    variables = _read()

    assert variables.scale == 0.001
    assert variables.duration == 60
    assert variables.warmup == 5
    assert variables.seed == 20_260_906
    assert variables.service_port == 8000
    assert (variables.ledger, variables.ledger_sync) == ("sqlite", "full")
    assert variables.ledger_path is None
    assert (variables.top, variables.rank_limit) == ("live", 100)


def test_a_path_needs_a_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """LEDGER=none with a path would write nothing to it."""
    monkeypatch.setenv("LEDGER", "none")
    monkeypatch.setenv("LEDGER_PATH", "ledger.db")

    assert _problems() == ("LEDGER=none and LEDGER_PATH exclude each other: leave out one.",)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("60s", 60), ("5m", 300), ("1h", 3600), (" 7 s", 7)]
)
def test_durations_take_a_unit(monkeypatch: pytest.MonkeyPatch, text: str, seconds: int) -> None:
    """A duration is whole seconds, minutes or hours."""
    monkeypatch.setenv("DURATION", text)

    assert seconds == _read().duration


def test_every_problem_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three wrong variables make three sentences, each with its name and value."""
    monkeypatch.setenv("SCALE", "fast")
    monkeypatch.setenv("DURATION", "5x")
    monkeypatch.setenv("SERVICE_PORT", "70000")

    problems = _problems()

    assert sorted(problem.partition(":")[0] for problem in problems) == [
        "DURATION=5x",
        "SCALE=fast",
        "SERVICE_PORT=70000",
    ]


@pytest.mark.parametrize("text", ["nan", "inf", "0", "-1", "1.5"])
def test_scale_is_a_fraction(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A scale that is no number in (0, 1] is refused by name."""
    monkeypatch.setenv("SCALE", text)

    assert [f"SCALE={text}"] == [problem.partition(":")[0] for problem in _problems()]


def test_a_foreign_target_needs_leave_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """TARGET alone is refused with the variable that allows it."""
    monkeypatch.setenv("TARGET", "https://leaderboard.example")

    assert _problems() == (
        "TARGET=https://leaderboard.example would be written to: add ALLOW_WRITES=1 if it may be.",
    )


def test_set_takes_several_assumptions(monkeypatch: pytest.MonkeyPatch) -> None:
    """SET splits like a shell does."""
    monkeypatch.setenv("SET", "popularity=zipf zipf_exponent=1.21")

    assert _read().set == ("popularity=zipf", "zipf_exponent=1.21")


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ("", []),
        ("s", []),
        (" -- SCALE=0.01", []),
        (" -- SCAL=0.01", ["SCAL"]),
        ("k -- DURATOIN=5m SCALE=1 FOO:=x", ["DURATOIN", "FOO"]),
        (r" -- SET=a=1\ b=2 RUN=latest OUT=x PYTHON=python3.12", []),
    ],
)
def test_unknown_variables_of_make_are_named(flags: str, names: list[str]) -> None:
    """A mistyped NAME=value on make's command line is told, not ignored."""
    assert names == [problem.split(" ", 1)[0] for problem in unknown_overrides(flags)]


def test_a_mistyped_variable_gets_a_suggestion() -> None:
    """The closest variable is offered."""
    assert unknown_overrides(" -- SCAL=0.01") == [
        "SCAL is no variable of this Makefile. Did you mean SCALE?"
    ]


def test_paths_are_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """HOTBOARD_REDIS_BIN is a path."""
    monkeypatch.setenv("HOTBOARD_REDIS_BIN", "/opt/redis/redis-server")

    assert Path("/opt/redis/redis-server") == _read().hotboard_redis_bin


@pytest.mark.parametrize(
    ("flags", "environment", "told"),
    [
        (" -- MODE=partitioned", {"MODE": "naive"}, ["MODE=partitioned"]),
        ("k -- SCALE=1 MODE=partitioned", {"MODE": "naive"}, ["MODE=partitioned"]),
        (" -- MODE=naive", {"MODE": "naive"}, []),
        (" -- SET=MODE=x", {"MODE": "naive"}, []),
        (" -- SCALE=1", {"MODE": "naive"}, []),
        (" -- MODE=partitioned", {}, []),
        (" -- MODE=na\\ ive", {"MODE": "na ive"}, []),
        (" -- MODE=$$x\\\\y", {"MODE": "$x\\y"}, []),
        (" -- MODE=a\nb", {"MODE": "a\nb"}, []),
        (" -- SET=a\\ MODE=x", {"MODE": "naive"}, []),
        (" -- SCENARIO=peak", {"SCENARIO": "odometer"}, ["SCENARIO=peak"]),
        (" -- SCENARIO=peak MODE=naive", {"SCENARIO": "peak", "MODE": "naive"}, []),
    ],
)
def test_what_the_target_has_settled_otherwise_is_told(
    flags: str, environment: dict[str, str], told: list[str]
) -> None:
    """`make load-naive MODE=partitioned` is no way to load the other mode."""
    problems = contradictions(flags, environment)

    assert told == [problem.partition(" ")[0] for problem in problems]


def test_what_does_not_go_together_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair in a sentence of its own."""
    for name, value in (
        ("TARGET", "http://127.0.0.1:1"),
        ("REDIS_URL", "redis://127.0.0.1:1/0"),
        ("LEDGER", "none"),
        ("LEDGER_PATH", "ledger.db"),
    ):
        monkeypatch.setenv(name, value)

    assert _problems() == (
        "TARGET=http://127.0.0.1:1 would be written to: add ALLOW_WRITES=1 if it may be.",
        "TARGET and REDIS_URL exclude each other: a foreign service has its own Redis.",
        "LEDGER=none and LEDGER_PATH exclude each other: leave out one.",
    )


def test_a_drill_gives_no_advice_to_write_to_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """No drill takes one, with leave or without; what it says is said once."""
    monkeypatch.setenv("TARGET", "http://127.0.0.1:1")
    monkeypatch.setenv("DRILL", "redis-kill")

    assert _read().target == "http://127.0.0.1:1"


SECRETS = {
    "redis://:secret@h:1/0": "redis://:***@h:1/0",
    "rediss://h:1/0?ssl_password=secret": "rediss://h:1/0?ssl_password=***",
    "redis://h:1/0?%70assword=secret": "redis://h:1/0?%70assword=***",
}


@pytest.mark.parametrize(("url", "shown"), SECRETS.items())
def test_a_password_is_no_part_of_the_command_to_repeat(
    url: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run directories are handed around."""
    monkeypatch.setenv("REDIS_URL", url)

    assert f"make load-naive 'REDIS_URL={shown}'" == _read().repeating("load")


@pytest.mark.parametrize(
    ("name", "value", "begins"),
    [
        ("REDIS_URL", "redis://:secret@h:x/0", "REDIS_URL=redis://:***@h:x/0: it cannot be read"),
        ("REDIS_URL", "redis://:sec?ret@h/0", "REDIS_URL=redis://:***@h/0: it cannot be read"),
        ("REDIS_URL", "redis://h/x?password=secret", "REDIS_URL=redis://h/x?password=***: a "),
        ("TARGET", "http://me:secret@h", "TARGET=http://me:***@h: a name and a password"),
        ("TARGET", "me:secret@h", "TARGET=me:***@h: give an address such as"),
        ("GRAFANA_URL", "https://secret@h", "GRAFANA_URL=https://***@h: a name and a password"),
    ],
)
def test_a_password_is_no_part_of_a_problem(
    name: str, value: str, begins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terminals are logged."""
    monkeypatch.setenv(name, value)
    (problem,) = _problems()

    assert problem.startswith(begins)


def test_bytes_that_are_no_text_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """They could be neither written down nor printed; letters beyond ASCII are text."""
    broken = ("SCALE", "SET", "LEDGER_PATH", "RUN")
    for name in broken:
        monkeypatch.setenv(name, "a\udcff")
    monkeypatch.setenv("TOTALS", "wöchentlich.csv")

    assert tuple(f"{name}=a\ufffd: give it in UTF-8." for name in broken) == _problems()
    for name in broken:
        monkeypatch.delenv(name)
    assert Path("wöchentlich.csv") == _read().totals
