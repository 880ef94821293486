"""Packages do not import each other, but for `workload`."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("workload", "target_service", "locustfiles", "lab", "reports", "dashboards")
MAY_IMPORT = {
    "workload": set(),
    "target_service": set(),
    "locustfiles": {"workload"},
    "lab": {"workload"},
    "reports": set(),
    "dashboards": set(),
}
WORKLOAD_THIRD_PARTY = {"numpy"}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def _imports_of(package: str) -> set[str]:
    files = list((ROOT / package).rglob("*.py"))
    assert files, f"no package {package}"
    return set().union(*map(_imports, files))


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_meet_at_http_metrics_and_run_directories(package: str) -> None:
    """A package imports no other one, except where the design allows `workload`."""
    others = _imports_of(package) & set(PACKAGES) - {package}

    assert MAY_IMPORT[package] >= others


def test_the_model_needs_the_standard_library_and_numpy_alone() -> None:
    """`workload` never imports Locust, FastAPI or Redis."""
    foreign = _imports_of("workload") - set(sys.stdlib_module_names) - {"workload"}

    assert foreign <= WORKLOAD_THIRD_PARTY


def test_relative_imports_are_not_used() -> None:
    """An import names its package, so that this test sees it."""
    relative = [
        str(path)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.level
    ]

    assert relative == []


def test_what_two_packages_need_alike_is_the_same() -> None:
    """A file that stands twice, because its packages may not meet, is changed in both places."""
    assert (ROOT / "lab" / "output.py").read_text() == (ROOT / "reports" / "output.py").read_text()
