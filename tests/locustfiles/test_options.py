from argparse import ArgumentParser, Namespace

import pytest

from locustfiles.options import RunOptions, add_options, read_options, refusals, users_problem

CLASSES = ("AroundMeReader", "ScoreWriter", "TopKReader")


class Parser(ArgumentParser):
    """Takes the settings that Locust's parser has beside Python's."""

    def add_argument(self, *names: str, **settings: object) -> object:  # type: ignore[override]
        """Add an option."""
        settings.pop("include_in_web_ui", None)
        settings.pop("env_var", None)
        return super().add_argument(*names, **settings)  # type: ignore[arg-type]


def read(*words: str) -> tuple[RunOptions | None, list[str]]:
    """Read a command line."""
    parser = Parser()
    add_options(parser)
    options = parser.parse_args(words)
    options.host = None
    return read_options(options, workers=1)


def test_the_defaults_are_those_of_the_make_commands() -> None:
    """A bare command is the documented run."""
    options, problems = read()

    assert [] == problems
    assert options is not None
    assert ("peak", "0.001", 60, 5, 20_260_906) == (
        options.scenario.name, options.scale, options.duration_seconds, options.warmup_seconds,
        options.seed,
    )  # fmt: skip
    assert (None, None, None, False, False) == (
        options.players, options.run_dir, options.stack, options.is_foreign,
        options.keeps_request_log,
    )  # fmt: skip
    assert "http://127.0.0.1:8000" == options.target


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("60s", 60), ("5m", 300), ("2h", 7200), (" 7s ", 7)]
)
def test_spans(text: str, seconds: int) -> None:
    """Seconds, minutes or hours."""
    options, _ = read("--duration", text)

    assert options is not None
    assert seconds == options.duration_seconds


@pytest.mark.parametrize(
    ("stack", "is_foreign"), [("embedded", False), ("compose", False), ("foreign", True)]
)
def test_a_stack_that_is_not_ours_is_foreign(stack: str, is_foreign: bool) -> None:
    """Its players get a prefix; the others are for the record."""
    options, _ = read("--stack", stack)

    assert options is not None
    assert (stack, is_foreign) == (options.stack, options.is_foreign)


def test_an_override_changes_the_scenario() -> None:
    """--set may be given again and again."""
    options, _ = read("--set", "k=5", "--set", "popularity=zipf")

    assert options is not None
    assert (5, "zipf") == (options.scenario.load.k, options.scenario.assumptions.popularity)


@pytest.mark.parametrize("bad", ["", "0", "-1", "1.5s", "1h20m", "x", "²", "90000"])
def test_spans_that_are_none(bad: str) -> None:
    """The sentence names the option, what it takes, and what it was given."""
    _, problems = read(f"--duration={bad}")

    expected = "--duration must be 1 to 86,400 whole seconds, such as 90, 60s or 5m"
    assert [f"{expected}; it is {bad!r}."] == problems


def test_everything_wrong_is_said_at_once() -> None:
    """One sentence for each option, the scenario's own included."""
    options, problems = read(
        "--duration=0", "--warmup=x", "--seed=1_0", "--players=0", "--scale=nan", "--set", "q=1"
    )

    assert options is None
    for name in ("--duration", "--warmup", "--seed", "--players", "--scale", "'q'"):
        assert 1 == sum(name in problem for problem in problems), name


def test_a_scenario_that_does_not_exist() -> None:
    """The sentence lists those that do."""
    _, problems = read("--scenario", "off-peak")

    assert 1 == len(problems)
    assert "There is no scenario off-peak" in problems[0]
    assert "peak" in problems[0].rpartition(":")[2]


@pytest.mark.parametrize(
    ("name", "value", "start"),
    [
        ("run_time", 60, "--run-time cannot be used: use --duration"),
        ("spawn_rate", 1, "--spawn-rate cannot be used: all users start at once"),
        ("tags", ["x"], "--tags cannot be used"),
        ("enable_rebalancing", True, "--enable-rebalancing cannot be used: a lost worker"),
    ],
)
def test_options_of_locust_that_would_spoil_a_run(name: str, value: object, start: str) -> None:
    """Each is refused with what to use instead."""
    problems = refusals(Namespace(**{name: value}), CLASSES, CLASSES)

    assert 1 == len(problems)
    assert problems[0].startswith(start)


def test_all_classes_run_or_none() -> None:
    """Naming user classes on the command line would leave a part of the mix out."""
    assert [] == refusals(Namespace(), CLASSES, CLASSES)
    assert "the scenario says which" in refusals(Namespace(), CLASSES[:1], CLASSES)[0]


@pytest.mark.parametrize(("users", "workers"), [(None, 2), (6, 2), (3, 1)])
def test_numbers_of_users_that_can_be_dealt(users: int | None, workers: int) -> None:
    """Three for each worker, or none given."""
    assert [] == users_problem(users, workers, 3)


@pytest.mark.parametrize(("users", "workers"), [(1, 1), (4, 1), (3, 2), (0, 1)])
def test_numbers_of_users_that_cannot(users: int, workers: int) -> None:
    """The sentence does the sum."""
    problems = users_problem(users, workers, 3)

    assert f"{workers} x 3 = {workers * 3}; leave it out." in problems[0]
