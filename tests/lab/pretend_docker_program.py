"""What runs when a test's docker is called: its world is a JSON file, given first.

The world: `engine` and `plugin` (whether there are any), `containers` (as `docker inspect` shows
them), `networks`, `volumes`, `stubborn` (volumes that stay), `refuses` (the first words of calls
that fail), `settings` (those the service has) and, for whole runs, `service` (how a real one is
started on `compose up`). Every call is written down in a file beside it.

`compose run lab` runs the lab's own audit, with the addresses that it has outside of containers.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

World = dict[str, Any]
PATH = Path(sys.argv[1])
WORDS = [word for word in sys.argv[2:] if word not in {"--profile", "load"}]


def main() -> int:
    """Answer one call."""
    world: World = json.loads(PATH.read_text(encoding="utf-8"))
    with PATH.with_name("calls").open("a", encoding="utf-8") as calls:
        calls.write(json.dumps(WORDS) + "\n")
    if WORDS[0] == "compose" and not world["plugin"]:
        return refuse(f"unknown shorthand flag: 'a' in {WORDS[-1]}")
    if not world["engine"] and WORDS != ["compose", "version"]:
        return refuse("Cannot connect to the Docker daemon. Is the docker daemon running?")
    for refused in world["refuses"]:
        if WORDS[: len(refused)] == refused:
            return refuse("that went wrong")
    return audit(world["service"]) if WORDS[:2] == ["compose", "run"] else answer(world, WORDS)


def answer(world: World, words: list[str]) -> int:
    """Answer a question, or do what docker would, as far as the lab can see."""
    match words:
        case ["compose", "ps", *_]:
            say(*(one["Id"] for one in world["containers"]))
        case ["inspect", *identities]:
            say(json.dumps([find(world, identity) for identity in identities]))
        case ["compose", "config", *_]:
            say(json.dumps({"name": "hotboard"}))
        case ["ps", *_]:
            say(*(one["Name"].lstrip("/") for one in world["containers"]))
        case ["network" | "volume" as kind, "ls", *_]:
            say(*world[f"{kind}s"])
        case ["wait", identity]:
            wait(find(world, identity))
        case ["cp", source, target]:
            with PATH.with_name("copied").open("a", encoding="utf-8") as copied:
                copied.write(f"{target} {Path(source).read_text(encoding='utf-8')}\n")
        case ["logs", *_]:
            say("a line of a log")
        case ["compose", order, *rest]:
            obey(world, order, [word for word in rest if not word.startswith("-")])
            PATH.write_text(json.dumps(world), encoding="utf-8")
    return 0


def obey(world: World, order: str, services: list[str]) -> None:
    """Change the world, or the part of it that is named."""
    if order == "up":
        up(world, services)
    elif order == "stop":
        for one in world["containers"]:
            one["State"]["Status"] = "exited"
    elif order == "down":
        world |= {"containers": [], "networks": [], "volumes": world["stubborn"]}


def up(world: World, services: list[str]) -> None:
    """Run the containers, and start the service again when its settings are others."""
    # of the lab's own word to its processes nothing reaches a container
    os.environ.pop("HOTBOARD_CLAIM", None)
    settings = {name: value for name, value in os.environ.items() if name.startswith("HOTBOARD_")}
    for one in world["containers"]:
        if not services or one["Config"]["Labels"]["com.docker.compose.service"] in services:
            one["State"] |= {"Status": "running", "Health": {"Status": "healthy"}}
    if world["settings"] == settings:
        return
    world["settings"] = settings
    (service,) = (one for one in world["containers"] if "target_service" in one["Name"])
    service["Id"] += "x"
    service["State"]["StartedAt"] += "1"
    if world["service"]:
        end(service["State"]["Pid"])
        service["State"]["Pid"] = start(world["service"], settings)


def audit(how: dict[str, Any]) -> int:
    """Audit a run as the container `lab` would: told on stdin, answering on stdout."""
    command = [sys.executable, "-m", "lab.audit_service"]
    addresses = {"HOTBOARD_SERVICE_URL": how["ready"].removesuffix("/readyz")}
    environment = {**os.environ, **how["environment"], **addresses, **ledger(how, dict(os.environ))}
    return subprocess.run(command, env=environment, cwd=how["folder"], check=False).returncode


def ledger(how: dict[str, Any], settings: dict[str, str]) -> dict[str, str]:
    """Find a ledger of the volume in the folder that stands for it."""
    if "HOTBOARD_LEDGER_PATH" not in settings:
        return {}
    inside = Path(settings["HOTBOARD_LEDGER_PATH"])
    return {"HOTBOARD_LEDGER_PATH": str(Path(how["ledgers"]) / inside.name)}


def start(how: dict[str, Any], settings: dict[str, str]) -> int:
    """Start a real service and wait until it is ready; its volume of ledgers is a folder."""
    with Path(how["log"]).open("ab") as log:
        process = subprocess.Popen(
            how["command"],
            env={**os.environ, **settings, **ledger(how, settings), **how["environment"]},
            cwd=how["folder"],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    while process.poll() is None:
        with suppress(OSError), urllib.request.urlopen(how["ready"]):  # noqa: S310  ours
            return process.pid
        time.sleep(0.05)
    sys.exit("the service ended at its start")


def end(pid: int) -> None:
    """End a process that somebody else started, and wait until its port is free."""
    if pid:
        os.kill(pid, signal.SIGTERM)
        while is_alive(pid):
            time.sleep(0.05)


def wait(container: dict[str, Any]) -> None:
    """Return when the process of a container has ended; of one without a process, soon."""
    pid = container["State"]["Pid"]
    while pid and is_alive(pid):
        time.sleep(0.2)
    say(str(container["State"]["ExitCode"]))


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that nobody has waited for yet does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def find(world: World, identity: str) -> dict[str, Any]:
    """Find a container by its id."""
    found: dict[str, Any] = next(one for one in world["containers"] if one["Id"] == identity)
    return found


def refuse(words: str) -> int:
    """Fail as docker fails."""
    sys.stderr.write(f"{words}\n")
    return 1


def say(*lines: str) -> None:
    """Print lines."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
