"""Fill a page's template; everything that is not markup already is escaped."""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from reports.errors import ReportError
from reports.page import formats
from reports.rundir.finding import write_atomically
from reports.rundir.reading import shown

_CODE = re.compile("`([^`]+)`")
_TEMPLATES = Path(__file__).parent / "templates"


def draw(place: Path, page: Callable[[], str]) -> bool:
    """Make a page and write it; of one that cannot be made, a sentence is all that is seen.

    A page judges nothing: whatever is wrong with it, the figures and the verdict stand.
    """
    try:
        write_atomically(place, page())
    except Exception as error:  # noqa: BLE001  (a run is worth more than its page)
        told = (
            str(error) if isinstance(error, ReportError) else f"{place} cannot be made: {error!r}."
        )
        print(f"{told} Every figure and the verdict stand without the page.", file=sys.stderr)
        return False
    return True


def render(template: str, **content: object) -> str:
    """The page as text."""
    return _environment().get_template(template).render(**content)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_readable,
    )
    environment.filters |= {
        "count": formats.count,
        "rate": formats.rate,
        "ms": formats.milliseconds,
        "share": formats.share,
        "shown": shown,
        "shortened": formats.shortened,
    }
    return environment


def _readable(value: object) -> object:
    """Keep a figure and its unit on one line, and set what stands in backticks as code."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    text = value.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ms", "\N{NO-BREAK SPACE}ms")
    if "`" not in text:
        return text
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  (escaped here)
