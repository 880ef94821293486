"""Finding prometheus and promtool, and the sentence when they are missing."""

from pathlib import Path

import pytest

from dashboards.prometheus.programs import ProgramMissing, program


def made(folder: Path, *names: str) -> Path:
    """Put programs into a folder."""
    folder.mkdir()
    for name in names:
        (folder / name).touch(mode=0o755)
    return folder


def test_named_program_comes_first(tmp_path: Path) -> None:
    """PROMETHEUS_BIN wins over PATH and over what was unpacked."""
    named = made(tmp_path / "named", "my-prometheus") / "my-prometheus"
    on_path = made(tmp_path / "path", "prometheus")
    unpacked = made(tmp_path / "unpacked", "prometheus")
    environment = {"PROMETHEUS_BIN": str(named), "PATH": str(on_path)}

    assert named == program("prometheus", environment, unpacked)


def test_promtool_is_taken_from_beside_the_named_program(tmp_path: Path) -> None:
    """The two are of one version."""
    named = made(tmp_path / "named", "prometheus", "promtool")
    on_path = made(tmp_path / "path", "promtool")
    environment = {"PROMETHEUS_BIN": str(named / "prometheus"), "PATH": str(on_path)}

    assert named / "promtool" == program("promtool", environment, tmp_path)


def test_path_comes_before_what_was_unpacked(tmp_path: Path) -> None:
    """An installed Prometheus is used."""
    on_path = made(tmp_path / "path", "prometheus")
    unpacked = made(tmp_path / "unpacked", "prometheus")

    assert on_path / "prometheus" == program("prometheus", {"PATH": str(on_path)}, unpacked)


def test_unpacked_program_comes_last(tmp_path: Path) -> None:
    """With nothing installed, what fetch.sh unpacked is used."""
    unpacked = made(tmp_path / "unpacked", "prometheus")

    assert unpacked / "prometheus" == program("prometheus", {"PATH": ""}, unpacked)


def test_missing_program_says_which_command_to_run(tmp_path: Path) -> None:
    """The sentence names the script, and a way without it."""
    with pytest.raises(ProgramMissing) as caught:
        program("promtool", {"PATH": str(tmp_path)}, tmp_path)

    assert str(caught.value) == (
        "promtool was not found. On Debian and Ubuntu run `sh dashboards/prometheus/fetch.sh` "
        "(it starts nothing), on macOS `brew install prometheus`, or set PROMETHEUS_BIN to the "
        "prometheus program."
    )


def test_wrong_name_is_no_reason_to_look_elsewhere(tmp_path: Path) -> None:
    """A misspelt PROMETHEUS_BIN is an error, not another Prometheus."""
    environment = {"PROMETHEUS_BIN": str(tmp_path / "none"), "PATH": ""}

    with pytest.raises(ProgramMissing, match="which is no file"):
        program("prometheus", environment, tmp_path)
    with pytest.raises(ProgramMissing, match="which is no file"):
        program("prometheus", {"PROMETHEUS_BIN": "x" * 300, "PATH": ""}, tmp_path)
    (tmp_path / "none").touch(mode=0o644)
    with pytest.raises(ProgramMissing, match="which is no program that can be run"):
        program("prometheus", environment, tmp_path)
