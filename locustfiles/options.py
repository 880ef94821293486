"""The command line: the options of a run, and those of Locust's own that would spoil one."""

import re
import shlex
import socket
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from workload.assumptions import InvalidWorkload
from workload.dataset import PLAYER_SEED
from workload.model import scale_from_text
from workload.scenario import Scenario, load_scenario

DEFAULT_TARGET: Final = "http://127.0.0.1:8000"
METRICS_PORT: Final = 9646
SCENARIOS: Final = Path(__file__).resolve().parent / "scenarios"
FOREIGN: Final = "foreign"
STACKS: Final = ("embedded", "compose", FOREIGN)
MOST_PLAYERS: Final = 99_999_999  # an event id has room for eight digits
_SPAN: Final = re.compile(r"(\d+)(s|m|h|)", re.ASCII)
_UNIT_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}

_REFUSED: Final = (
    ("run_time", "--run-time", "use --duration for the measured phase and --warmup before it"),
    ("spawn_rate", "--spawn-rate", "all users start at once; the schedule sets the rates"),
    ("tags", "--tags", "change the mix with --set instead"),
    ("exclude_tags", "--exclude-tags", "change the mix with --set instead"),
    ("class_picker", "--class-picker", "the scenario says which user classes a run has"),
    ("enable_rebalancing", "--enable-rebalancing", "a lost worker's share is never dealt again"),
    ("reset_stats", "--reset-stats", "the schedule separates the warm-up"),
    ("config_users", "--config-users", "a scenario file holds the workload"),
)


class OptionParser(Protocol):
    """The part of Locust's parser that is used, which takes more settings than Python's."""

    def add_argument(self, *names: str, **settings: object) -> object:
        """Add an option."""
        ...


@dataclass(frozen=True)
class RunOptions:
    """The options, checked as far as one option can be checked by itself."""

    scenario: Scenario
    scale: str
    duration_seconds: int
    warmup_seconds: int
    seed: int
    players: int | None
    run_dir: Path | None
    keeps_request_log: bool
    stack: str | None
    command: str
    target: str
    workers: int
    metrics_host: str = "127.0.0.1"
    metrics_port: int = METRICS_PORT

    @property
    def is_foreign(self) -> bool:
        """Whether the service is not ours: player ids get a prefix then."""
        return self.stack == FOREIGN


def add_options(parser: OptionParser, **_: object) -> None:
    """Add the options of a run to Locust's."""
    for name, default, meaning in (
        ("--scenario", "peak", "name of a file in locustfiles/scenarios"),
        ("--scale", "0.001", "factor on the model's players and rates"),
        ("--duration", "60s", "length of the measured phase, such as 60s or 5m"),
        ("--warmup", "5s", "how long to load before the measured phase"),
        ("--seed", str(PLAYER_SEED), "repeats a schedule"),
        ("--players", None, "players to load instead of the scaled number"),
        ("--run-dir", None, "directory for the results; made under reports/runs when not given"),
        ("--command", None, "the command that repeats this run, for its record"),
    ):
        parser.add_argument(name, default=default, help=meaning, include_in_web_ui=False)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change an assumption of the scenario; may be given again",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--metrics-port",
        default=str(METRICS_PORT),
        env_var="LOADGEN_PORT",
        help="where Prometheus finds the generator's metrics; 0 serves none",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--metrics-host",
        default="127.0.0.1",
        help="the address of this machine that they are served at",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--stack",
        choices=STACKS,
        help="what the service is part of, for the record; foreign: not ours, player ids get the "
        "prefix hotboard-",
        include_in_web_ui=False,
    )
    parser.add_argument(
        "--request-log",
        action="store_true",
        help="write every request to requests-<slice>.csv in the run directory",
        include_in_web_ui=False,
    )


def read_options(options: Namespace, workers: int) -> tuple[RunOptions | None, list[str]]:
    """Read the options; None and sentences when some cannot be used."""
    problems: list[str] = []
    duration = _checked(options.duration, "--duration", _seconds(1, 86_400), problems)
    warmup = _checked(options.warmup, "--warmup", _seconds(0, 3_600), problems)
    seed = _checked(options.seed, "--seed", _whole(0, 2**63 - 1), problems)
    # an empty variable is as good as none
    port_text = options.metrics_port or str(METRICS_PORT)
    port = _checked(port_text, "--metrics-port (LOADGEN_PORT)", _whole(0, 65_535), problems)
    players = None
    if options.players is not None:
        players = _checked(options.players, "--players", _whole(1, MOST_PLAYERS), problems)
    try:
        scale_from_text(options.scale)
    except InvalidWorkload as error:
        problems += [one.replace("SCALE", "--scale", 1) for one in error.problems]
    scenario = None
    try:
        scenario = load_scenario(SCENARIOS / f"{options.scenario}.toml", options.set)
    except InvalidWorkload as error:
        problems += error.problems
    if problems or scenario is None:
        return None, problems
    return (
        RunOptions(
            scenario=scenario,
            scale=options.scale.strip(),
            duration_seconds=duration,
            warmup_seconds=warmup,
            seed=seed,
            players=players,
            run_dir=Path(options.run_dir).absolute() if options.run_dir else None,
            keeps_request_log=options.request_log,
            stack=options.stack,
            command=options.command or shlex.join(["locust", *sys.argv[1:]]),
            target=options.host or DEFAULT_TARGET,
            workers=workers,
            metrics_host=options.metrics_host,
            metrics_port=port,
        ),
        [],
    )


def _checked(text: str, option: str, read: Callable[[str], int], problems: list[str]) -> int:
    """The number that a text stands for; with a problem noted it is never used."""
    try:
        return read(text)
    except ValueError as error:
        problems.append(f"{option} must be {error}; it is {text!r}.")
        return -1


def _seconds(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        span = _SPAN.fullmatch(text.strip())
        seconds = int(span[1]) * _UNIT_SECONDS[span[2]] if span else -1
        if not least <= seconds <= most:
            raise ValueError(f"{least} to {most:,} whole seconds, such as 90, 60s or 5m")
        return seconds

    return read


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        # int() alone would take digits of other scripts, underscores and a sign.
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise ValueError(f"a whole number from {least} to {most}")
        return int(text)

    return read


def refusals(options: Namespace, chosen: Sequence[str], known: Sequence[str]) -> list[str]:
    """A sentence for each of Locust's options that was given and cannot be used."""
    problems = [
        f"{option} cannot be used: {instead}."
        for name, option, instead in _REFUSED
        if getattr(options, name, None)
    ]
    if set(chosen) != set(known):
        problems.append(
            f"Naming user classes ({', '.join(chosen)}) cannot be used: the scenario says which "
            "a run has."
        )
    return problems


def users_problem(users: int | None, workers: int, classes: int) -> list[str]:
    """A sentence when a number of users was given that is not one of each class per worker."""
    if users in {None, workers * classes}:
        return []
    problem = (
        f"--users {users} cannot be used: every worker gets one user of each of the {classes} "
        f"classes, so {workers} x {classes} = {workers * classes}; leave it out."
    )
    return [problem]


def page_problem(host: str, port: int) -> list[str]:
    """A sentence when Locust's page cannot be served; Locust itself would end without one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            problem = (
                f"Locust's page cannot be served at {host}:{port} ({error.strerror}): choose "
                "another port with LOCUST_PORT=<port> or --web-port, or do without the page: "
                "LOCUST_UI=0 or --headless."
            )
            return [problem]
    return []
