"""The rules' unit tests, and that they notice rules that are wrong."""

import shutil
import subprocess
from pathlib import Path

import pytest
from promql_walk import rules

from dashboards.prometheus.targets import FOLDER

RULE_TESTS = sorted((FOLDER / "rule_tests").glob("*.yml"))

# A rule that is wrong: the rule tests that notice, the rules' file, what stands there, what would.
MUTATIONS = {
    "the alert's limit is doubled": ("hot_key", "alerts.yml", "2.5 *", "5 *"),
    "the alert's limit is 2.6": ("hot_key", "alerts.yml", "2.5 *", "2.6 *"),
    "the alert waits for half a minute and a second": (
        "keys",
        "alerts.yml",
        "for: 30s",
        "for: 31s",
    ),
    "the alert wants no traffic": ("hot_key", "alerts.yml", "> 10)", "> 0)"),
    "the backlog may be a second older": ("stack", "alerts.yml", "> 0) > 30", "> 0) > 31"),
    "a generator at 91 % is fine": ("generator", "alerts.yml", "0.85", "0.91"),
    "36 ms late is fine": ("generator", "alerts.yml", "p99 > 0.02", "p99 > 0.036"),
    "a generator must always be there": ("stack", "alerts.yml", '{job!="generator"}', ""),
    "a service is missed between runs": (
        "stack",
        "alerts.yml",
        ' and on () (max(up{job="generator"}) == 1)',
        "",
    ),
    "shares of no run": ("runs", "keys.yml", "(mode, run, key)", "(mode, key)"),
    "heat of a fixed number of keys": (
        "runs",
        "keys.yml",
        "/ on (mode, run) group_left () mode:leaderboard_fair_share:ratio",
        "* 12",
    ),
    "the loading's latency": ("operations", "operations.yml", "|submit_batch", ""),
    "any run is the newest": (
        "runs",
        "runs.yml",
        '"choice", "$1", "run", "(.*)"',
        '"choice", "newest", "", ""',
    ),
    "effective keys without the square": ("keys", "keys.yml", "share ^ 2", "share ^ 1"),
    "shares of an emptying window": ("keys", "keys.yml", "> 0.5 * op:", "> 0 * op:"),
    "keys of the mode before": (
        "keys",
        "keys.yml",
        " and leaderboard_key_members_written_total",
        "",
    ),
    "the fair share of the keys there are": ("keys", "keys.yml", "1 / max by", "2 / max by"),
    "the drain counts as achieved": ("generator", "generator.yml", "> 0.5 * sum", "> 0 * sum"),
    "failures count as achieved": ("generator", "generator.yml", '{outcome="ok"}', ""),
    "refusals count as latency": ("operations", "operations.yml", 'code=~"2..",', ""),
    "the median": ("operations", "operations.yml", "0.99", "0.5"),
}


def run_rule_tests(promtool: Path, paths: list[Path]) -> subprocess.CompletedProcess[str]:
    """Run rule tests."""
    return subprocess.run(
        [promtool, "test", "rules", *paths], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("path", RULE_TESTS, ids=lambda path: path.stem)
def test_rules_give_the_values_worked_out_by_hand(promtool: Path, path: Path) -> None:
    """Every recorded value and every alert is as the file of rule tests says."""
    result = run_rule_tests(promtool, [path])

    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("caption", MUTATIONS)
def test_rule_tests_notice(promtool: Path, tmp_path: Path, caption: str) -> None:
    """A rule that is wrong in a way that matters fails the tests that it should."""
    noticed_by, name, right, wrong = MUTATIONS[caption]
    for folder in ("rules", "rule_tests"):
        shutil.copytree(FOLDER / folder, tmp_path / folder)
    rule_file = tmp_path / "rules" / name
    text = rule_file.read_text(encoding="utf-8")
    rule_file.write_text(text.replace(right, wrong), encoding="utf-8")

    assert right in text
    rule_test = tmp_path / "rule_tests" / f"{noticed_by}.yml"
    assert run_rule_tests(promtool, [rule_test]).returncode == 1


def test_every_rule_is_tested() -> None:
    """Each recorded series and each alert is named in a rule test."""
    text = "".join(path.read_text(encoding="utf-8") for path in RULE_TESTS)
    read_by_others = {"instance_mode_run:leaderboard_info:max", "op:leaderboard_load:rate3s"}
    names = {str(rule.get("record", rule.get("alert"))) for rule in rules()} - read_by_others

    assert [] == sorted(name for name in names if name not in text)
