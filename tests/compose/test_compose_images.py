"""The recipe of our own images, and what of the checkout may enter a build."""

import re

import pytest
from compose_file import ROOT

LINES = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()


def words(instruction: str) -> list[list[str]]:
    """Find every instruction of a kind, as words after its name."""
    return [line.split()[1:] for line in LINES if line.startswith(f"{instruction} ")]


def stage(name: str) -> list[str]:
    """Find the lines of one stage, up to the next."""
    starts = [number for number, line in enumerate(LINES) if line.startswith("FROM ")]
    (start,) = (number for number in starts if LINES[number].endswith(f" AS {name}"))
    end = next((number for number in starts if number > start), len(LINES))
    return LINES[start:end]


def test_the_one_foreign_image_is_a_pinned_slim_python() -> None:
    """Everything else begins from a stage above it."""
    froms = words("FROM")
    stages = {names[2] for names in froms}
    foreign = [names[0] for names in froms if names[0] not in stages]

    assert len(foreign) == 1
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", foreign[0])


def test_packages_come_from_the_lock_with_their_hashes() -> None:
    """Nothing is installed that the lock does not name."""
    (install,) = (line for line in LINES if "pip install" in line)

    assert "--require-hashes --requirement requirements.lock" in install


@pytest.mark.parametrize("name", ["service", "generator"])
def test_images_do_not_run_as_root(name: str) -> None:
    """The last word on the user is our own, whose number is no user of the host."""
    users = [line for line in stage(name) if line.startswith("USER ")]

    assert users == ["USER hotboard"]
    assert "--uid 10001" in " ".join(stage("base"))


@pytest.mark.parametrize(
    ("name", "copied"),
    [
        ("service", {"target_service"}),
        ("generator", {"workload", "locustfiles", "reports", "pyproject.toml"}),
    ],
)
def test_only_what_runs_is_copied(name: str, copied: set[str]) -> None:
    """The service is the service alone; the generator has the workload and the reports with it."""
    lines = [line.split() for line in stage(name) if line.startswith("COPY ")]

    assert copied == {line[1] for line in lines}
    assert all((ROOT / source).exists() for source in copied)


def test_nothing_enters_a_build_unless_named() -> None:
    """The ignore file begins with everything, and lets in what the recipe copies."""
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [rule for rule in rules if rule and not rule.startswith("#")]
    allowed = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {
        line[1]
        for line in (line.split() for line in LINES)
        if line[:1] == ["COPY"] and not line[1].startswith("--from")
    }

    assert rules[0] == "*"
    assert allowed == copied
    assert {"reports/runs", "**/__pycache__"} <= set(rules)


def test_service_imports_nothing_of_the_checkout_but_itself() -> None:
    """So its image, which has nothing else, starts."""
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "target_service").rglob("*.py"))

    assert not re.search(
        r"(?m)^(from|import) (workload|locustfiles|lab|reports|dashboards)\b", sources
    )
