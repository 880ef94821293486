"""Finding a Grafana on this machine, and what it is started with."""

import json
import urllib.request
from pathlib import Path

import pytest
from free_ports import free_port
from pretend_grafana import install

from dashboards.grafana.files import CHECKOUT
from dashboards.watch.grafana import Grafana, GrafanaUnusable, find_grafana, running_grafana


def test_no_grafana_is_no_error(tmp_path: Path) -> None:
    """Where neither GRAFANA_BIN nor PATH has one, there is none."""
    assert find_grafana({"PATH": str(tmp_path)}) is None


def test_grafana_on_path_is_found_with_its_folder(tmp_path: Path) -> None:
    """An unpacked archive's bin folder on PATH is enough."""
    program = install(tmp_path / "grafana-13")

    assert Grafana(program, tmp_path / "grafana-13") == find_grafana({"PATH": str(program.parent)})


def test_chosen_grafana_comes_first(tmp_path: Path) -> None:
    """GRAFANA_BIN wins over PATH."""
    one, other = install(tmp_path / "one"), install(tmp_path / "other")
    found = find_grafana({"PATH": str(one.parent), "GRAFANA_BIN": str(other)})

    assert Grafana(other, tmp_path / "other") == found


def test_homebrew_keeps_the_folder_under_share(tmp_path: Path) -> None:
    """There the program is a link, and its folder lies beside what the link names."""
    cellar = tmp_path / "Cellar" / "grafana"
    (cellar / "share" / "grafana" / "conf").mkdir(parents=True)
    (cellar / "share" / "grafana" / "conf" / "defaults.ini").touch()
    (cellar / "bin").mkdir()
    (cellar / "bin" / "grafana").touch(mode=0o755)
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "grafana"
    link.symlink_to(cellar / "bin" / "grafana")

    assert Grafana(link, cellar / "share" / "grafana") == find_grafana({"PATH": str(link.parent)})


def test_missing_choice_is_refused_by_name(tmp_path: Path) -> None:
    """GRAFANA_BIN that names nothing is a mistake, not a machine without Grafana."""
    with pytest.raises(GrafanaUnusable, match=r"GRAFANA_BIN names .*none, which is no file"):
        find_grafana({"GRAFANA_BIN": str(tmp_path / "none"), "PATH": ""})
    with pytest.raises(GrafanaUnusable, match=r"GRAFANA_BIN names x+, which is no file"):
        find_grafana({"GRAFANA_BIN": "x" * 300, "PATH": ""})
    (tmp_path / "none").touch(mode=0o644)
    with pytest.raises(GrafanaUnusable, match="which is no program that can be run"):
        find_grafana({"GRAFANA_BIN": str(tmp_path / "none"), "PATH": ""})


def test_lone_program_is_refused(tmp_path: Path) -> None:
    """A program without its folder could not show a page."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "grafana").touch(mode=0o755)

    with pytest.raises(GrafanaUnusable, match="Grafana's folder was not found beside"):
        find_grafana({"PATH": str(tmp_path / "a")})


@pytest.mark.parametrize(("name", "words"), [("grafana", ["server"]), ("grafana-server", [])])
def test_both_programs_of_grafana_are_started_as_they_want(name: str, words: list[str]) -> None:
    """The newer program takes a command, the older one is the server itself."""
    grafana = Grafana(Path("/opt/g/bin") / name, Path("/opt/g"))

    assert [f"/opt/g/bin/{name}", *words, "--homepath=/opt/g"] == grafana.command


def test_grafana_gets_the_same_settings_as_under_compose(tmp_path: Path) -> None:
    """Its provisioning, dashboards and rights are those; what it writes goes to the folder."""
    grafana = find_grafana({"GRAFANA_BIN": str(install(tmp_path / "installed"))})
    assert grafana is not None
    port, folder = free_port(), CHECKOUT / "dashboards" / "grafana"
    with (
        running_grafana(grafana, port, "http://127.0.0.1:9090", tmp_path),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer,
    ):
        words, environment = json.load(answer)

    assert words == ["server", f"--homepath={tmp_path / 'installed'}"]
    assert environment["HOTBOARD_PROMETHEUS_URL"] == "http://127.0.0.1:9090"
    assert environment["HOTBOARD_DASHBOARDS"] == str(folder / "json")
    assert environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == str(
        folder / "json" / "hot-keys.json"
    )
    assert environment["GF_PATHS_PROVISIONING"] == str(folder / "provisioning")
    assert environment["GF_AUTH_ANONYMOUS_ORG_ROLE"] == "Viewer"
    assert Path(environment["GF_PATHS_DATA"]).is_relative_to(tmp_path)
    assert environment["GF_SERVER_HTTP_ADDR"] == "127.0.0.1"
