"""`make shape`: how large the product is, and through how many files a request and a run pass.

The first part reads the source. The second runs it: each way is walked once to warm up and once
more under a profiler that notes every function of ours that is entered.
"""

import ast
import io
import shutil
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType

import httpx
import uvicorn
from free_ports import free_port
from valkey_process import ValkeyProcess

from reports.cli import main as reports_main
from target_service.app import create_app
from target_service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PACKAGES = ("workload", "target_service", "locustfiles", "lab", "reports", "dashboards")
SHORT_LINES = 80

EVENT = {"player_id": "ann", "region": "eu", "mode": "solo", "season": "s1", "score": 7}


class Source:
    """The product's Python files, read once."""

    def __init__(self, root: Path) -> None:
        files = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
        self._texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in files}
        self._trees = {path: ast.parse(text) for path, text in self._texts.items()}
        # An empty __init__.py marks a package; it is no room of the house.
        self.lines = {
            path: len(text.splitlines())
            for path, text in self._texts.items()
            if path.name != "__init__.py" or len(self._trees[path].body) > 1
        }

    def largest_folder(self) -> tuple[str, int]:
        """The folder that shows most modules side by side, and how many."""
        folder, files = Counter(path.parent for path in self.lines).most_common(1)[0]
        return str(folder), files

    def import_lines(self) -> int:
        """How many lines import something."""
        return sum(
            (node.end_lineno or node.lineno) - node.lineno + 1
            for tree in self._trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
        )

    def one_importer_files(self) -> int:
        """How many short files exactly one other file imports."""
        importers: dict[str, set[Path]] = {}
        for path, tree in self._trees.items():
            for module in _imported_modules(tree):
                importers.setdefault(module, set()).add(path)
        return sum(
            len(importers.get(_module_name(path), set()) - {path}) == 1
            for path, lines in self.lines.items()
            if lines < SHORT_LINES
        )

    def repeated_class_names(self) -> int:
        """How many class names are defined in more than one file."""
        names = Counter(
            node.name
            for tree in self._trees.values()
            for node in tree.body
            if isinstance(node, ast.ClassDef)
        )
        return sum(count > 1 for count in names.values())

    def most_defined_methods(self, most: int = 3) -> str:
        """The method names with most definitions."""
        names = Counter(
            method.name
            for tree in self._trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for method in node.body
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
            and not method.name.startswith("_")
        )
        return ", ".join(f"{name} {count}" for name, count in names.most_common(most))


def _imported_modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


class EnteredFunctions:
    """Notes each function of the product that any thread enters while it records."""

    def __init__(self) -> None:
        self._entered: set[tuple[str, str]] = set()
        self._records = False
        self._product = tuple(f"{ROOT / package}/" for package in PACKAGES)
        threading.setprofile(self._on_event)
        sys.setprofile(self._on_event)

    def passed_by(self, walk: Callable[[], object]) -> str:
        """Walk one way twice; count files and functions of the second time."""
        walk()
        self._entered.clear()
        self._records = True
        walk()
        self._records = False
        files = {file for file, _ in self._entered}
        return f"{len(files)} files, {len(self._entered)} functions"

    def _on_event(self, frame: FrameType, event: str, _: object) -> None:
        if self._records and event == "call":
            code = frame.f_code
            if code.co_filename.startswith(self._product):
                self._entered.add((code.co_filename, code.co_qualname))


@contextmanager
def _served(valkey: ValkeyProcess, **settings: object) -> Iterator[httpx.Client]:
    """Serve in a thread of this process, where the profiler sees it."""
    app = create_app(Settings(mode="partitioned", redis_url=valkey.url(), **settings))  # type: ignore[arg-type]
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=10)
        ) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


def _submits(client: httpx.Client) -> Callable[[], None]:
    numbers = iter(range(10))

    def submit() -> None:
        client.post("/v1/scores", json=EVENT | {"event_id": f"e{next(numbers)}"}).raise_for_status()

    return submit


def ways(directory: Path) -> Iterator[tuple[str, str]]:
    """Walk each way once it is warm: what it is, and what it passed."""
    entered = EnteredFunctions()
    valkey = ValkeyProcess(directory)
    valkey.start()
    try:
        with _served(valkey, ledger="none") as client:
            around = "/v1/boards/eu/solo/s1/players/ann/around"
            yield "a score to Redis", entered.passed_by(_submits(client))
            yield "a top", entered.passed_by(lambda: client.get("/v1/top").raise_for_status())
            yield "an around", entered.passed_by(lambda: client.get(around).raise_for_status())
            valkey.client().flushdb()
        with _served(valkey, ledger="sqlite", ledger_path=directory / "ledger.db") as client:
            yield "a score to ledger and Redis", entered.passed_by(_submits(client))
    finally:
        valkey.stop()
    run = directory / "20260906T000000Z-peak-partitioned"
    shutil.copytree(TESTS / "reports/golden/partitioned/raw", run)

    def render() -> None:
        with redirect_stdout(io.StringIO()):
            reports_main(["html", str(run)])

    yield "a run directory to its page", entered.passed_by(render)


def main() -> None:
    """Print the table."""
    source = Source(ROOT)
    folder, files = source.largest_folder()
    total = sum(source.lines.values())
    rows = [
        ("files", f"{len(source.lines):,}"),
        ("lines", f"{total:,}"),
        ("lines of a file, median", f"{statistics.median(source.lines.values()):g}"),
        ("lines that import", f"{source.import_lines() / total:.1%}"),
        ("largest flat folder", f"{folder}, {files} files"),
        (f"files under {SHORT_LINES} lines with one importer", f"{source.one_importer_files()}"),
        ("class names defined more than once", f"{source.repeated_class_names()}"),
        ("most defined method names", source.most_defined_methods()),
    ]
    with tempfile.TemporaryDirectory() as directory:
        rows += [(f"passed by {way}", passed) for way, passed in ways(Path(directory))]
    width = max(len(what) for what, _ in rows)
    for what, figure in rows:
        sys.stdout.write(f"{what:{width}}  {figure}\n")


if __name__ == "__main__":
    main()
