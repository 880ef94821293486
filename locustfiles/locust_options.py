"""Locust's own options that have no meaning here, or would change what is measured."""

import socket
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

_REFUSED: Final = (
    ("run_time", "--run-time", "use --duration for the measured phase and --warmup before it"),
    ("spawn_rate", "--spawn-rate", "all users start at once; the schedule sets the rates"),
    ("tags", "--tags", "change the mix with --set instead"),
    ("exclude_tags", "--exclude-tags", "change the mix with --set instead"),
    ("class_picker", "--class-picker", "the scenario says which user classes a run has"),
    ("enable_rebalancing", "--enable-rebalancing", "a lost worker's share is never dealt again"),
    ("reset_stats", "--reset-stats", "the warm-up is told apart by the schedule"),
    ("config_users", "--config-users", "a scenario file holds the workload"),
)


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
