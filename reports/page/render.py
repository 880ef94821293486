"""Fill a page's template; everything that is not markup already is escaped."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from reports.page import formats
from reports.rundir.audit import shown

_CODE = re.compile("`([^`]+)`")
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
    return environment.get_template(template).render(**content)


def _readable(value: object) -> object:
    """Keep a figure and its unit on one line, and set what stands in backticks as code."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    text = value.replace(" %", "\N{NO-BREAK SPACE}%").replace(" ms", "\N{NO-BREAK SPACE}ms")
    if "`" not in text:
        return text
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  (escaped here)
