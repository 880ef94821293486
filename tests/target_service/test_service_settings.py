"""Reading the settings: defaults, values, and a sentence for every problem."""

import os

import pytest

from target_service.settings import InvalidSettings, read_settings


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment with a mode and no other setting."""
    for name in list(os.environ):
        if name.startswith(("HOTBOARD_", "PROMETHEUS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOTBOARD_MODE", "naive")
    return monkeypatch


def test_the_defaults(variables: pytest.MonkeyPatch) -> None:  # noqa: ARG001  (sets the mode)
    """The modelled partitions, this machine, one worker, a short timeout."""
    settings = read_settings()

    assert settings.regions == ("na-east", "na-west", "eu", "apac")
    assert settings.modes == ("solo", "duo", "squad")
    assert settings.seasons == ("s1",)
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 1)
    assert settings.redis_timeout_seconds == 0.5
    assert (settings.ledger, settings.ledger_sync) == ("sqlite", "full")
    assert (settings.top, settings.top_interval_seconds) == ("live", 1.0)
    assert settings.rank_limit == 100
    assert settings.achievements_zone == "UTC"
    assert settings.achievements_reconcile_at.isoformat("minutes") == "03:15"
    assert settings.achievements_sweep_at.isoformat("minutes") == "04:40"


def test_an_empty_path_of_events_is_none(variables: pytest.MonkeyPatch) -> None:
    """Compose hands on an empty one where no file is named."""
    variables.setenv("HOTBOARD_EVENTS_PATH", "")

    assert read_settings().events_path is None


def test_names_are_separated_by_commas(variables: pytest.MonkeyPatch) -> None:
    """Blanks around a name are forgiven."""
    variables.setenv("HOTBOARD_REGIONS", "eu, us-1")

    assert read_settings().regions == ("eu", "us-1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MODE", ""),
        ("LEDGER", "memory"),
        ("LEDGER_SYNC", "off"),
        ("REGIONS", ""),
        ("REGIONS", "eu,,us"),
        ("REGIONS", "eu,EU"),
        ("MODES", "solo,solo"),
        ("SEASONS", "x" * 33),
        ("SEASONS", "s1;s2"),
        ("HOST", ""),
        ("PORT", "65536"),
        ("PORT", "8000.5"),
        ("WORKERS", "0"),
        ("TOP", "cached"),
        ("TOP_INTERVAL_SECONDS", "0"),
        ("TOP_INTERVAL_SECONDS", "nan"),
        ("RANK_LIMIT", "0"),
        ("ACHIEVEMENTS_ZONE", "Berlin"),
        ("ACHIEVEMENTS_ZONE", "../UTC"),
        ("ACHIEVEMENTS_RECONCILE_AT", "3:15"),
        ("ACHIEVEMENTS_SWEEP_AT", "24:00"),
        ("ACHIEVEMENTS_SWEEP_AT", "03:15"),
        ("RANK_LIMIT", "2.5"),
        ("RANK_LIMIT", "1000001"),
        ("REDIS_TIMEOUT_SECONDS", "0"),
        ("REDIS_TIMEOUT_SECONDS", "nan"),
        ("REDIS_TIMEOUT_SECONDS", "inf"),
        ("REDIS_TIMEOUT_SECONDS", "soon"),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "redis://localhost:99999"),
        ("REDIS_URL", "redis://localhost?colour=red"),
        ("REDIS_URL", "redis://localhost?socket_timeout=x"),
    ],
)
def test_a_value_that_is_not_usable(variables: pytest.MonkeyPatch, name: str, value: str) -> None:
    """The sentence names the variable and says what it must be."""
    variables.setenv(f"HOTBOARD_{name}", value)

    with pytest.raises(InvalidSettings) as caught:
        read_settings()

    (told,) = caught.value.problems
    assert told.startswith(f"HOTBOARD_{name} is ")
    assert ": it must be " in told


def test_more_workers_need_a_directory(variables: pytest.MonkeyPatch) -> None:
    """With the directory they are welcome."""
    variables.setenv("HOTBOARD_WORKERS", "2")
    with pytest.raises(InvalidSettings, match="PROMETHEUS_MULTIPROC_DIR"):
        read_settings()

    variables.setenv("PROMETHEUS_MULTIPROC_DIR", "/somewhere")

    assert read_settings().workers == 2
