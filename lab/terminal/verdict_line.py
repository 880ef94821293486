"""The lines that say PASS or FAIL."""

import re
from collections.abc import Iterable

# Whole words: FAILURE in a title is no verdict.
_FAIL = re.compile(r"\bFAIL\b")
_VERDICT = re.compile(r"\b(PASS|FAIL)\b")


def verdict_line(label: str, problems: Iterable[str], passed: str = "") -> str:
    """PASS when there is no problem, else FAIL with all of them."""
    found = "; ".join(problems)
    if found:
        return f"{label}: FAIL - {found}"
    return f"{label}: PASS - {passed}" if passed else f"{label}: PASS"


def says_fail(lines: Iterable[str]) -> bool:
    """Whether any line carries the verdict FAIL."""
    return any(_FAIL.search(line) for line in lines)


def checks_line(lines: Iterable[str]) -> str:
    """How many of the checks in all lines passed."""
    verdicts = [line for line in lines if _VERDICT.search(line)]
    failed = sum(bool(_FAIL.search(line)) for line in verdicts)
    return f"{len(verdicts) - failed} of {len(verdicts)} checks PASS"
