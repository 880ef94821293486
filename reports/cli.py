"""The command line: one verb for each thing a person does with a run."""

import argparse
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from reports.comparison.page import COMPARISON_HTML, comparison_page
from reports.comparison.sides import sides_of, worst_status
from reports.comparison.words import comparison_text
from reports.comparison.writing import comparison_markdown, write_comparison
from reports.derived import derive, write_derived
from reports.errors import BrokenRun, ReportError, RunNotFound, UsageError
from reports.export import export_run
from reports.page.render import draw
from reports.page.run_page import REPORT_HTML, run_page
from reports.rundir.files import printable
from reports.rundir.finding import RUNS_DIR, find_run
from reports.rundir.reading import Run, read_run
from reports.terminal import run_text, runs_text, shortest
from reports.verdict.verdict import Status

DONE = 0
USAGE = 2
INVALID = 3
EXIT_CODES = {Status.PASS: DONE, Status.FAIL: 1, Status.INVALID: INVALID}

_RUN_HELP = "a run directory, a run id, or `latest`"

Verb = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str]) -> int:
    """Run one verb; whatever goes wrong is a sentence on stderr and an exit code."""
    options = _parser().parse_args(arguments)
    verb: Verb = options.verb
    try:
        return verb(options)
    except ReportError as error:
        _tell(str(error), file=sys.stderr)
        return INVALID if isinstance(error, BrokenRun) else USAGE


def tables(options: argparse.Namespace) -> int:
    """Derive every table and the verdict, print and write them, and exit by the verdict."""
    derived = derive(_run(options))
    # First, so that a full disk hides no verdict.
    _tell(run_text(derived, _columns()), end="")
    write_derived(derived)
    draw(derived.run.path / REPORT_HTML, partial(run_page, derived))
    return EXIT_CODES[derived.verdict.status]


def show(options: argparse.Namespace) -> int:
    """Print a run's table again, without writing anything."""
    _tell(run_text(derive(_run(options)), _columns()), end="")
    return DONE


def html(options: argparse.Namespace) -> int:
    """Draw a run's page again, from what was measured."""
    derived = derive(_run(options))
    page = derived.run.path / REPORT_HTML
    if not draw(page, partial(run_page, derived)):
        return USAGE
    _tell(page)
    return DONE


def export(options: argparse.Namespace) -> int:
    """Copy a run's CSV files."""
    no_folder = "The export needs a folder to copy to: OUT=<folder>."
    _require_runs([options.run], options, [] if options.out else [no_folder])
    copied = export_run(_run(options), Path(options.out))
    _tell(f"copied {len(copied)} files to {options.out}")
    return DONE


def compare(options: argparse.Namespace) -> int:
    """Compare two kinds of run, each measured in one or more rounds."""
    _require_runs([*options.runs, *options.against], options)
    first = [derive(_read(asked, options)) for asked in options.runs]
    second = [derive(_read(asked, options)) for asked in options.against]
    sides = sides_of(first, second)
    write_comparison(*sides, options.out)
    is_drawn = draw(options.out / COMPARISON_HTML, partial(comparison_page, *sides))
    files = shortest(options.out / COMPARISON_HTML if is_drawn else options.out)
    _tell(f"{comparison_text(*sides, _columns())}\nfiles: {files}")
    return EXIT_CODES[worst_status(sides)]


def markdown(options: argparse.Namespace) -> int:
    """Print a comparison as a Markdown table."""
    _tell(comparison_markdown(options.folder), end="")
    return DONE


def runs(options: argparse.Namespace) -> int:
    """List the runs at hand, newest first."""
    _tell(runs_text(options.runs_dir, _columns()), end="")
    return DONE


def _columns() -> int | None:
    """How wide the terminal is; None where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _tell(text: object, end: str = "\n", file: TextIO | None = None) -> None:
    """Print what may hold words of somebody else's."""
    print(printable(str(text)), end=end, file=file, flush=True)


def _require_runs(
    asked: Sequence[str], options: argparse.Namespace, problems: Sequence[str] = ()
) -> None:
    """Name every run that is not there, beside the problems that are known, all at once."""
    told = dict.fromkeys(problems)
    for one in asked:
        try:
            find_run(one, options.runs_dir)
        except RunNotFound as error:
            told[str(error)] = None
    if told:
        raise UsageError("\n".join(told))


def _run(options: argparse.Namespace) -> Run:
    return _read(options.run, options)


def _read(asked: str, options: argparse.Namespace) -> Run:
    return read_run(find_run(asked, options.runs_dir))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m reports", description=__doc__)
    parser.add_argument(
        "--runs-dir", type=Path, default=RUNS_DIR, help="where runs are kept (default: %(default)s)"
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    _verb(verbs, "tables", tables).add_argument("run", metavar="RUN_DIR", help=_RUN_HELP)
    _verb(verbs, "show", show).add_argument("run", metavar="RUN", help=_RUN_HELP)
    _verb(verbs, "html", html).add_argument("run", metavar="RUN", help=_RUN_HELP)
    exporting = _verb(verbs, "export", export)
    exporting.add_argument("run", metavar="RUN", help=_RUN_HELP)
    exporting.add_argument("out", metavar="OUT", help="the directory to copy to")
    comparing = _verb(verbs, "compare", compare)
    comparing.add_argument("runs", metavar="RUN", nargs="+", help=f"rounds of A: {_RUN_HELP}")
    comparing.add_argument("--against", metavar="RUN", nargs="+", required=True, help="rounds of B")
    comparing.add_argument("--out", metavar="DIR", type=Path, required=True, help="where to write")
    printing = _verb(verbs, "markdown", markdown)
    printing.add_argument("folder", metavar="DIR", type=Path, help="the comparison's directory")
    _verb(verbs, "runs", runs)
    return parser


def _verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, verb: Verb
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=verb.__doc__, description=verb.__doc__)
    parser.set_defaults(verb=verb)
    return parser
