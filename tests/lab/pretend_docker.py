"""A docker for tests: a program on a PATH of its own, and the world it shows."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PROGRAM = Path(__file__).with_name("pretend_docker_program.py")
_PORTS = {
    "redis": (6379, 16379),
    "target_service": (8000, 18000),
    "prometheus": (9090, 19090),
    "grafana": (3000, 13000),
    "redis-exporter": None,
}


@dataclass(frozen=True)
class PretendDocker:
    """The folder to put on PATH, and what its docker sees and was asked."""

    folder: Path
    root: Path

    @property
    def world(self) -> dict[str, Any]:
        """The world as it is."""
        found: dict[str, Any] = json.loads(self._file.read_text(encoding="utf-8"))
        return found

    def change(self, **changes: object) -> None:
        """Make the world another one."""
        self._file.write_text(json.dumps(self.world | changes), encoding="utf-8")

    def set_state(self, service: str, status: str, health: str | None = None) -> None:
        """Give a service's container another state."""
        self._change_state(service, Status=status, Health=health and {"Status": health})

    def set_process(self, service: str, pid: int, exit_code: int = 0) -> None:
        """Let a process stand for a service's container, and end as it is said."""
        self._change_state(service, Pid=pid, ExitCode=exit_code)

    def pid_of(self, service: str) -> int:
        """Find the process that stands for a service's container."""
        pid: int = self._find(self.world["containers"], service)["State"]["Pid"]
        return pid

    @property
    def calls(self) -> list[list[str]]:
        """All that was asked, word by word."""
        path = self.folder / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    @property
    def copied(self) -> list[str]:
        """Where files were copied, each with what was in it."""
        path = self.folder / "copied"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def _change_state(self, service: str, **state: object) -> None:
        containers = self.world["containers"]
        self._find(containers, service)["State"] |= state
        self.change(containers=containers)

    @staticmethod
    def _find(containers: list[dict[str, Any]], service: str) -> dict[str, Any]:
        return next(one for one in containers if one["Name"] == f"/hotboard-{service}-1")

    @property
    def _file(self) -> Path:
        return self.folder / "world.json"


def install(folder: Path, root: Path, ports: Mapping[str, int] | None = None) -> PretendDocker:
    """Put a docker into a folder, whose compose stack of the checkout `root` is up."""
    folder.mkdir()
    docker = folder / "docker"
    docker.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{_PROGRAM}" "{folder / "world.json"}" "$@"\n',
        encoding="utf-8",
    )
    docker.chmod(0o755)
    world = {
        "engine": True,
        "plugin": True,
        "containers": [_container(name, root, (ports or {}).get(name)) for name in _PORTS],
        "networks": ["hotboard_default"],
        "volumes": ["hotboard_grafana-data", "hotboard_prometheus-data"],
        "stubborn": [],
        "refuses": [],
        "settings": {},
        "service": None,
    }
    (folder / "world.json").write_text(json.dumps(world), encoding="utf-8")
    return PretendDocker(folder, root)


def _container(service: str, root: Path, port: int | None) -> dict[str, Any]:
    published = _PORTS[service]
    ports = {}
    if published is not None:
        binding = {"HostIp": "127.0.0.1", "HostPort": str(port or published[1])}
        ports[f"{published[0]}/tcp"] = [binding]
    labels = {"service": service, "project": "hotboard", "project.working_dir": str(root)}
    return {
        "Id": f"id-of-{service}",
        "Name": f"/hotboard-{service}-1",
        "Config": {"Labels": {f"com.docker.compose.{name}": text for name, text in labels.items()}},
        "State": {
            "Status": "running",
            "Health": {"Status": "healthy"},
            "StartedAt": "2026-01-01T00:00:00.0Z",
            "ExitCode": 0,
            "Pid": 0,
        },
        "NetworkSettings": {
            "Ports": ports,
            "Networks": {"hotboard_default": {"Gateway": "127.0.0.1"}},
        },
    }
