"""docs/compose.md says what compose.yaml does."""

import re

import pytest
from compose_file import ROOT, TEXT, Service, services

PAGE = (ROOT / "docs" / "compose.md").read_text(encoding="utf-8")
SERVICES = services()


def address(name: str) -> str:
    """Word a service's port with the variable that moves it."""
    block = TEXT.partition(f"\n  {name}:\n")[2]
    found = re.search(r'^    ports:\n      - "127\.0\.0\.1:\$\{(\w+):-(\d+)\}', block, re.MULTILINE)
    is_own = found and not re.search(r"^  \S+:$", block[: found.start()], re.MULTILINE)
    return f"127.0.0.1:{found[2]} (`{found[1]}`)" if found and is_own else "inside only"


def purpose(name: str) -> str:
    """Find the line above a service."""
    found = re.search(rf"(?m)^  # (.+)\n  {name}:$", TEXT)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(("name", "service"), SERVICES.items(), ids=SERVICES)
def test_every_service_has_its_row(name: str, service: Service) -> None:
    """Image, address, limits and purpose are those of the file."""
    limits = service["deploy"]["resources"]["limits"]
    cells = [
        f"`{name}`",
        f"`{service['image']}`",
        address(name),
        f"{limits['cpus']} CPU, {limits['memory']}",
        purpose(name),
    ]

    assert f"| {' | '.join(cells)} |" in PAGE
