"""The README's figures are those of the committed sample, and its commands exist."""

import re
import subprocess
from pathlib import Path

from reports.comparison.writing import comparison_markdown

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
# `make load-*` stands for several.
_TARGET = re.compile(r"\bmake ([a-z][a-z-]+[a-z])\b(?!-\*)")
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_the_result_table_is_the_samples() -> None:
    """The table between the markers is what `python -m reports markdown docs/sample` prints."""
    between = re.search(r"<!-- sample -->\n(.*?)<!-- /sample -->", README, flags=re.DOTALL)

    assert between is not None
    assert comparison_markdown(ROOT / "docs" / "sample").strip() == between[1].strip()


def test_every_make_target_that_is_named_exists() -> None:
    """A command in the README or the docs is a target of the Makefile."""
    pages = (ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md"))
    texts = [README, *(page.read_text() for page in pages)]
    named = {name for text in texts for name in _TARGET.findall(text)}
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = set(re.findall(r"^  ([a-z-]+) {2,}", listed, flags=re.MULTILINE))

    assert {"load-naive", "test"} <= named
    assert named <= targets


def test_every_link_leads_to_a_file() -> None:
    """Relative links of the README and the docs lead somewhere."""
    broken = [
        f"{path.name}: {link}"
        for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
        for link in _LINK.findall(path.read_text())
        if not (path.parent / link).exists()
    ]

    assert [] == broken


def test_every_page_is_found_from_the_readme() -> None:
    """By links alone, over other pages or at once."""
    found, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page.suffix == ".md" and page not in found:
            found.add(page)
            ahead += [(page.parent / link).resolve() for link in _LINK.findall(page.read_text())]

    assert [] == sorted({*(ROOT / "docs").glob("*.md")} - found)
