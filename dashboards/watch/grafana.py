"""A Grafana of this machine, with the provisioning, dashboards and settings it has in compose."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mirakuru import HTTPExecutor

from dashboards.program_run import Check, never, program_run
from dashboards.watch.ports import HOST

_FOLDER: Final = Path(__file__).resolve().parents[1] / "grafana"
_NAMES: Final = ("grafana", "grafana-server")
_DASHBOARDS: Final = "HOTBOARD_DASHBOARDS"
HOW_TO_GET: Final = (
    "on Debian and Ubuntu it comes from Grafana's own repository (https://apt.grafana.com), on "
    "macOS from `brew install grafana`, or set GRAFANA_BIN to the grafana program"
)


class GrafanaUnusable(ValueError):
    """The Grafana that was named, or found, cannot be started; the message says why."""


@dataclass(frozen=True)
class Grafana:
    """The program, and the folder with its defaults and its pages."""

    program: Path
    home: Path

    @property
    def command(self) -> list[str]:
        """How this Grafana is started."""
        words = ["server"] if self.program.name == "grafana" else []
        return [str(self.program), *words, f"--homepath={self.home}"]


def find_grafana(environment: Mapping[str, str]) -> Grafana | None:
    """Find Grafana: GRAFANA_BIN, else on PATH.

    Raises:
        GrafanaUnusable: GRAFANA_BIN names no file, or a program without its folder.
    """
    chosen = environment.get("GRAFANA_BIN", "")
    if chosen and not (os.access(chosen, os.F_OK) and Path(chosen).is_file()):
        raise GrafanaUnusable(f"GRAFANA_BIN names {chosen}, which is no file.")
    if chosen and not os.access(chosen, os.X_OK):
        raise GrafanaUnusable(f"GRAFANA_BIN names {chosen}, which is no program that can be run.")
    path = environment.get("PATH", "")
    found = chosen or next((at for name in _NAMES if (at := shutil.which(name, path=path))), None)
    if found is None:
        return None
    home = _home(Path(found))
    if home is None:
        raise GrafanaUnusable(
            f"Grafana's folder was not found beside {found}: set GRAFANA_BIN to the grafana "
            "program of a whole installation, such as .../grafana/bin/grafana."
        )
    return Grafana(Path(found), home)


@contextmanager
def running_grafana(
    grafana: Grafana, port: int, prometheus_url: str, directory: Path, *, check: Check = never
) -> Iterator[HTTPExecutor]:
    """Start Grafana with everything it writes in a directory, and give its process.

    Raises:
        ServerFailed: it did not start.
    """
    written = directory / "grafana"
    written.mkdir()
    environment = _settings() | {
        "HOTBOARD_PROMETHEUS_URL": prometheus_url,
        "GF_SERVER_HTTP_ADDR": HOST,
        "GF_SERVER_HTTP_PORT": str(port),
        "GF_PATHS_PROVISIONING": str(_FOLDER / "provisioning"),
        "GF_PATHS_DATA": str(written),
        "GF_PATHS_LOGS": str(written / "log"),
        "GF_PATHS_PLUGINS": str(written / "plugins"),
    }
    ready = f"http://{HOST}:{port}/api/health"
    log = directory / "grafana.log"
    with program_run("Grafana", grafana.command, ready, log, environment, check) as process:
        yield process


def _settings() -> dict[str, str]:
    """The settings under compose, with the dashboards' folder as it is here."""
    lines = (_FOLDER / "grafana.env").read_text(encoding="utf-8").splitlines()
    settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    there, here = settings[_DASHBOARDS], str(_FOLDER / "json")
    return {name: value.replace(there, here) for name, value in settings.items()}


def _home(program: Path) -> Path | None:
    """The folder of an unpacked archive, of Homebrew, or of a package for Linux."""
    real = program.resolve()
    above = real.parent.parent
    places = (above, above / "share" / "grafana", Path("/usr/share/grafana"))
    return next((place for place in places if (place / "conf" / "defaults.ini").is_file()), None)
