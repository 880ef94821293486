"""Fill a page's template; everything that is not markup already is escaped."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reports.page import formats
from reports.rundir.audit import shown

_TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **content: object) -> str:
    """The page as text."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_unbroken,
    )
    environment.filters |= {
        "count": formats.count,
        "rate": formats.rate,
        "ms": formats.milliseconds,
        "share": formats.share,
        "shown": shown,
        "shortened": formats.shortened,
    }
    return environment.get_template(template).render(**content)


def _unbroken(value: object) -> object:
    """Keep a figure and its unit on one line."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return value.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ms", "\N{NO-BREAK SPACE}ms")
    return value
