"""The scrape configuration, as committed and with other addresses."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboards.prometheus.targets import (
    CONFIG,
    FOLDER,
    GENERATOR,
    REDIS,
    SERVICE,
    UnknownJob,
    with_targets,
)

COMMITTED = CONFIG.read_text(encoding="utf-8")
ADDRESSES = st.lists(st.from_regex(r"[a-z]{1,8}:[1-9][0-9]{1,4}", fullmatch=True), max_size=3)


def parsed(text: str) -> dict[str, Any]:
    """Read a configuration as Prometheus would."""
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def jobs(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Name the scrape jobs of a configuration."""
    return {job["job_name"]: job for job in config["scrape_configs"]}


def test_three_jobs_are_scraped_every_second() -> None:
    """Service, generator and Redis exporter, at the interval the rules and Grafana count on."""
    config = parsed(COMMITTED)

    assert {SERVICE, GENERATOR, REDIS} == set(jobs(config))
    assert config["global"]["scrape_interval"] == "1s"
    assert config["global"]["evaluation_interval"] == "1s"
    assert not any("scrape_interval" in job for job in config["scrape_configs"])


def test_generator_that_is_not_there_is_no_target() -> None:
    """Its name is looked up, or a file names it, so that between runs nothing is down."""
    generator = jobs(parsed(COMMITTED))[GENERATOR]

    assert "static_configs" not in generator
    assert generator["dns_sd_configs"][0]["names"] == ["locust-master"]
    assert generator["file_sd_configs"][0]["files"] == ["/prometheus/generator.json"]


@settings(deadline=None)  # a busy machine says nothing of the code
@given(st.fixed_dictionaries({}, optional=dict.fromkeys((SERVICE, GENERATOR, REDIS), ADDRESSES)))
def test_targets_are_rewritten_and_nothing_else(targets: dict[str, Sequence[str]]) -> None:
    """Jobs with addresses have those only, jobs without are gone, the rest is the same."""
    before, after = parsed(COMMITTED), parsed(with_targets(COMMITTED, targets) or "{}")
    wanted = [
        {"job_name": name, "static_configs": [{"targets": list(targets[name])}]}
        for name in jobs(before)
        if targets.get(name)
    ]

    assert wanted == (after["scrape_configs"] or [])
    assert before["global"] == after["global"]
    assert [f"{FOLDER}/rules/*.yml"] == after["rule_files"]


def test_unknown_job_is_refused_by_name() -> None:
    """A misspelt job would be scraped never, in silence."""
    with pytest.raises(UnknownJob, match="No scrape job is called servise; there are service, gen"):
        with_targets(COMMITTED, {"servise": ["127.0.0.1:1"]})


def test_promtool_accepts_the_committed_configuration(promtool: Path) -> None:
    """Prometheus reads the file as committed, and finds the four rule files."""
    checked = subprocess.run(
        [promtool, "check", "config", CONFIG], capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stderr
    assert "5 rule files found" in checked.stdout


def test_promtool_accepts_a_rewritten_configuration(promtool: Path, tmp_path: Path) -> None:
    """So it does from another folder with other addresses, and finds the rules still."""
    path = tmp_path / "prometheus.yml"
    targets = {SERVICE: ["127.0.0.1:8000", "127.0.0.1:8001"], GENERATOR: ["127.0.0.1:9646"]}
    path.write_text(with_targets(COMMITTED, targets), encoding="utf-8")
    checked = subprocess.run(
        [promtool, "check", "config", path], capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stderr
    assert "5 rule files found" in checked.stdout
