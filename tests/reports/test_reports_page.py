"""report.html: what it says, that it needs no network, and that it is the same each time."""

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from judged_runs import NAIVE, SHORT, changed
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.derived import derive
from reports.page.formats import milliseconds
from reports.page.run_page import run_page
from reports.rundir.reading import read_run
from reports.terminal import run_text

VOID = {"meta", "br", "img", "link", "input", "hr"}


class _Page(HTMLParser):
    """The text of a page, the tags left open, and what it would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what is opened and where it points."""
        if tag not in VOID:
            self.open.append(tag)
        names = ("src", "href", "xlink:href", "action", "data")
        self.loads += [value for name, value in attrs if name in names and value]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself opens nothing."""
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Tags close in the order they were opened."""
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep what is read outside the style."""
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        """The page as it is read."""
        return re.sub(r"\s+", " ", " ".join(self.words))


def _page(path: Path) -> _Page:
    return _Page(run_page(derive(read_run(path))))


RUNS = {
    "naive": NAIVE,
    "partitioned": SHORT,
    "failed": replace(SHORT, failing=(1, 3)),
    "stalled": replace(SHORT, stall=(1.0, 1.5)),
    "interrupted": replace(SHORT, ended="interrupted", cut_at=2, end_reason="SIGINT"),
    "cut off at once": replace(SHORT, ended="unfinished", cut_at=0, audited=False),
    "empty": replace(SHORT, rates={"submit": 0, "top": 0, "around": 0}),
    "dead service": replace(
        SHORT, failing=(0, 9), failure_kind="refused", keys_reason="no metrics", audited=False
    ),
    "one request": replace(
        SHORT,
        scale=0.000001,
        duration_seconds=1,
        rates={"submit": 1_000_000, "top": 0, "around": 0},
    ),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, _Page]:
    """The page of each kind of run, drawn once."""
    return {
        kind: _page(make_run(tmp_path_factory.mktemp("runs"), plan)) for kind, plan in RUNS.items()
    }


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("naive", "Pass"),
        ("partitioned", "Pass"),
        ("failed", "Fail"),
        ("stalled", "Fail"),
        ("interrupted", "Invalid"),
        ("cut off at once", "Invalid"),
        ("empty", "Invalid"),
        ("dead service", "Fail"),
        ("one request", "Fail"),
    ],
)
def test_every_kind_of_run_has_a_whole_page(
    kind: str, status: str, pages: dict[str, _Page]
) -> None:
    """The page of any run is well formed, loads nothing, and starts with its verdict."""
    page = pages[kind]

    assert page.open == []
    assert [] == [target for target in page.loads if not target.startswith("#")]
    assert page.text.index(status) < page.text.index("What was measured")


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("naive", "one key ranks all players, so it takes every score update by design"),
        ("naive", "All score updates went to one key, lb:global:all:s1, 12 times the fair share"),
        ("partitioned", "the players are spread over 12 keys"),
        ("partitioned", "imitated 1/1000 of that load: 12,000 players, 240 updates and 100 reads"),
        ("partitioned", "on one machine with 2 cores (AMD EPYC 7763 64-Core Processor)"),
        ("failed", "The measurement can be trusted, but it missed 2 of 5 objectives."),
        ("stalled", "submit, top, around: 1 of 5 seconds (second 1)"),
        ("interrupted", "the run was interrupted after 2 of 5 measured seconds: SIGINT"),
        ("interrupted", "was meant to imitate 1/1000 of that load"),
        ("interrupted", "Grey: not measured, the run ended early."),
        ("empty", "nothing was sent (0 requests were offered)"),
        ("empty", "No request was due in the measured phase"),
        ("dead service", "The keys are not known: no metrics."),
        ("dead service", "No request was answered well, so there are no times to show."),
        ("dead service", "This run has no audit"),
    ],
)
def test_each_kind_reads_right(kind: str, sentence: str, pages: dict[str, _Page]) -> None:
    """A newcomer finds what happened in a sentence."""
    assert sentence in pages[kind].text.replace("\N{NO-BREAK SPACE}", " ")


def test_reasons_stand_on_the_page_as_in_run_json(tmp_path: Path) -> None:
    """Every reason of the verdict is there, word for word."""
    run = make_run(tmp_path, replace(SHORT, failing=(1, 3), audit_holds=False))
    main(["tables", str(run)])
    text = _Page((run / "report.html").read_text()).text.replace("\N{NO-BREAK SPACE}", " ")
    reasons = json.loads((run / "run.json").read_text())["verdict"]["reasons"]

    assert len(reasons) == 7
    assert [] == [reason for reason in reasons if reason not in text]


def test_figures_come_from_the_tables(tmp_path: Path) -> None:
    """Cells of the page are those of operations.csv, rounded to three figures."""
    run = make_run(tmp_path, SHORT)
    main(["tables", str(run)])
    page = (run / "report.html").read_text()
    with (run / "operations.csv").open() as file:
        rows = list(csv.DictReader(file))

    for label, column in (("p90", "p90_ms"), ("slowest", "max_ms")):
        cells = [milliseconds(float(row[column])) for row in rows]
        shown = re.search(rf"<tr><th>{label}</th>(.*?)</tr>", page)

        assert shown is not None
        assert cells == re.findall(r"<td>(.*?)</td>", shown[1])


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    """Nothing of the moment of drawing is in the page."""
    path = make_run(tmp_path, NAIVE)

    assert run_page(derive(read_run(path))) == run_page(derive(read_run(path)))


def test_a_hostile_run_is_escaped(tmp_path: Path) -> None:
    """Text from a run directory is text on the page, in the plots too."""
    path = make_run(tmp_path, SHORT)
    evil = "<script>alert('$x$')</script>"

    def rename(content: dict[str, dict[str, dict[str, object]]]) -> None:
        content["operations"][evil] = content["operations"].pop("top")
        keys = content["keys"]["end"]["keys"]
        assert isinstance(keys, dict)
        keys[evil] = keys["lb:eu:solo:s1"]

    changed(path, "measurements.json", rename)
    changed(path, "run.json", lambda content: content.update(description=evil, command=evil))
    page = run_page(derive(read_run(path)))

    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_both_widths_and_both_themes_are_there(tmp_path: Path) -> None:
    """Each plot is drawn for wide and for narrow screens, in the theme's own colours."""
    page = run_page(derive(read_run(make_run(tmp_path, SHORT))))

    assert page.count('class="plot wide"') == page.count('class="plot narrow"') == 3
    assert "prefers-color-scheme: dark" in page
    assert [] == re.findall(r"#0[1-8]0[1-8]0[1-8]", page)
    assert "var(--accent)" in page
    assert "@font-face" not in page


def test_ten_minutes_stay_small(tmp_path: Path) -> None:
    """Ten minutes at scale 0.005, over a million requests, make a page under 2 MB."""
    path = make_run(tmp_path, Plan(scale=0.005, duration_seconds=600))

    assert len(run_page(derive(read_run(path))).encode()) < 2_000_000


def test_html_draws_the_page_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`html` writes the page alone and says where it is."""
    path = make_run(tmp_path, SHORT)

    assert main(["html", str(path)]) == 0
    assert f"{path / 'report.html'}\n" == capsys.readouterr().out
    assert not (path / "operations.csv").exists()


def test_a_scenario_of_its_own_is_not_called_the_model(tmp_path: Path) -> None:
    """Without the modelled mix the page says what was sent, and nothing of a hot key."""
    run = make_run(tmp_path, SHORT)
    facts = json.loads((run / "run.json").read_text())
    facts["model"]["modelled_mix"] = False
    (run / "run.json").write_text(json.dumps(facts))
    main(["tables", str(run)])
    text = _Page((run / "report.html").read_text()).text.replace("\N{NO-BREAK SPACE}", " ")

    assert (
        "At full scale the scenario sends 340,000 requests a second. "
        "This run sent 1/1000 of that: submit 240, top 25, around 75 a second, for 5 seconds"
    ) in text
    assert "imitated" not in text


@pytest.fixture
def boardless(tmp_path: Path) -> Path:
    """A run of a scenario that touches no board."""
    path = make_run(tmp_path, NAIVE)

    def without_boards(facts: dict[str, Any]) -> None:
        facts["model"] |= {"modelled_mix": False, "needs_boards": False}
        facts["scenario"] = "odometer"

    def untouched(measured: dict[str, Any]) -> None:
        measured["keys"]["end"]["keys"] = measured["keys"]["start"]["keys"]

    changed(path, "measurements.json", untouched)
    return changed(path, "run.json", without_boards)


def test_the_page_of_a_run_without_boards_speaks_of_none(boardless: Path) -> None:
    """Neither of a mode, nor of the model's rates, nor of how keys share its load."""
    page = _page(boardless).text

    assert "Hotboard run report odometer The modelled mix" in page
    assert "scale 0.001 of the scenario's rates" in page
    assert "No board key was touched (this scenario has none)." in page
    assert "12,000, none loaded on a board" in page
    assert "Players and partitions" in page
    assert "what is offered is what the scenario asks for" in page
    assert "1,700, as the scenario has it" in page
    for words in (
        "how the load spreads",
        "1/1000 of the model",
        "Traffic model",
        "240,000",
        ", naive",
    ):
        assert words not in page.partition("make load-")[0], words


def test_the_terminal_tells_of_a_run_without_boards(boardless: Path) -> None:
    """Its title has no mode, its scale is of its own rates, and no board key is missed."""
    text = run_text(derive(read_run(boardless)))

    assert "\nodometer · scale 0.001 of the scenario's rates · 5 s measured" in text
    assert "\nkeys: no board key was touched (this scenario has none)\n" in text


def test_what_stands_in_backticks_is_set_as_code(tmp_path: Path) -> None:
    """Sentences are those of the terminal; the command is shown as it was given."""
    path = make_run(tmp_path, SHORT)
    command = "make load SET=`a < b`"
    warnings = ["`make <it>` helps."]
    changed(path, "run.json", lambda facts: facts.update(command=command, warnings=warnings))
    page = run_page(derive(read_run(path)))

    assert "<li><code>make &lt;it&gt;</code> helps.</li>" in page
    assert "<pre>make load SET=`a &lt; b`</pre>" in page


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "Beside it came rank_exact 10 a second."),
        (2, "Beside it came rank_exact 10 a second, in waves."),
    ],
)
def test_what_came_beside_the_mix_is_none_of_the_models_reads(
    tmp_path: Path, seconds: int, words: str
) -> None:
    """The model's reads stay what the scale makes of them; the rest is named for itself."""
    run = make_run(tmp_path, SHORT)
    facts = json.loads((run / "run.json").read_text())
    own = {"model_per_second": 10_000, "per_second": 10, "seconds": seconds}
    facts["model"]["operations"]["rank_exact"] = own
    (run / "run.json").write_text(json.dumps(facts))
    main(["tables", str(run)])
    text = _Page((run / "report.html").read_text()).text.replace("\N{NO-BREAK SPACE}", " ")

    assert "240 updates and 100 reads a second" in text
    assert words in text


@pytest.mark.parametrize(
    ("told", "rank_rate", "shown"),
    [
        (
            {"materialised_top": False, "exact_ranks_per_second": 100},
            None,
            {"TOP": "live", "RANK_LIMIT": "100 (no rank_exact sent)"},
        ),
        (
            {"materialised_top": True, "exact_ranks_per_second": 20},
            200,
            {"TOP": "materialised", "RANK_LIMIT": "20"},
        ),
        ({"materialised_top": True}, None, {"TOP": "materialised"}),
        ({}, None, {}),
    ],
)
def test_how_ranked_reads_are_answered_stands_at_the_top(
    tmp_path: Path, told: dict[str, Any], rank_rate: int | None, shown: dict[str, str]
) -> None:
    """And among the inputs, where one without effect is labelled; the untold is left out."""
    limits = {name: one for name, one in told.items() if name == "exact_ranks_per_second"}
    capabilities = {name: one for name, one in told.items() if name not in limits}

    def describe(facts: dict[str, Any]) -> None:
        facts["service"] |= {"capabilities": capabilities, "limits": limits}
        if rank_rate is not None:
            rate = {"model_per_second": 1_000 * rank_rate, "per_second": rank_rate}
            facts["model"]["operations"]["rank_exact"] = rate

    path = make_run(tmp_path, SHORT)
    changed(path, "run.json", describe)
    page = run_page(derive(read_run(path)))
    (top,) = re.findall(r'<p class="quiet mono">(.*)</p>', page)
    rows = dict(re.findall(r"<tr><th>(TOP|RANK_LIMIT)</th><td>(.*?)</td></tr>", page))

    assert [
        f"{name}={value}" for name, value in shown.items() if "no rank_exact" not in value
    ] == top.split(" · ")[2:]
    assert shown == rows


def test_a_top_that_nobody_asks_for_is_an_input_alone(boardless: Path) -> None:
    """The setting is told all the same, for it was the service's, but not on the first screen."""
    changed(boardless, "run.json", lambda facts: facts["model"].update(operations={}))
    page = run_page(derive(read_run(boardless)))

    assert "<td>live (no top sent)</td>" in page
    assert "TOP=" not in page


def test_the_keys_come_right_after_the_figures(pages: dict[str, _Page], tmp_path: Path) -> None:
    """What the product is about stands on the first screen, before any text and any table."""
    page = run_page(derive(read_run(make_run(tmp_path, SHORT))))

    assert page.index('aria-label="Share of the load of each key"') < page.index("<table")
    for kind in ("naive", "partitioned", "failed"):
        text = pages[kind].text
        assert text.index("How the keys share the load") < text.index("What was measured")


def _renamed(path: Path, operations: int) -> Path:
    """The run with key names of the greatest length, and more operations of long names."""

    def longest(text: str) -> str:
        return re.sub(
            r"lb:([a-z-]+):([a-z]+):s1",
            lambda one: ":".join(["lb", one[1].ljust(32, "r"), one[2].ljust(32, "m"), "s" * 32]),
            text,
        )

    for name in ("run.json", "measurements.json"):
        (path / name).write_text(longest((path / name).read_text()))

    def more(content: dict[str, Any]) -> None:
        top = content["operations"]["top"]
        content["operations"] |= {f"{number}-{'o' * 97}": top for number in range(operations)}

    return changed(path, "measurements.json", more)


@pytest.mark.parametrize("operations", [0, 60])
def test_long_names_and_many_operations_have_their_page(tmp_path: Path, operations: int) -> None:
    """Keys of 101 characters are cut so that they are still told apart, and plots stay bounded."""
    path = _renamed(make_run(tmp_path, SHORT), operations)
    derived = derive(read_run(path))
    page = run_page(derived)
    labels = set(re.findall(r">(lb:[^<]*\u2026[^<]*)</text>", page))
    drawn = re.findall(r">([^<]*): answers a second</text>", page)

    assert {101} == {len(key) for key in derived.run.facts.board_keys}
    assert len(labels) >= 12
    assert max(map(len, labels)) < 60
    assert 2 * min(3 + operations, 12) == len(drawn)
    assert ("The 12 busiest of 63 operations are shown." in page) == (operations > 0)


def test_a_page_that_cannot_be_made_is_no_failure_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict and every table stand; a sentence says what is missing."""
    path = make_run(tmp_path, SHORT)
    (path / "report.html").mkdir()

    assert main(["tables", str(path)]) == 0
    assert (path / "operations.csv").is_file()
    assert capsys.readouterr().err == (
        f"{path / 'report.html'} cannot be written: Is a directory. "
        "Every figure and the verdict stand without the page.\n"
    )
    assert main(["html", str(path)]) == 2


def test_a_small_scale_is_written_as_people_do(boardless: Path) -> None:
    """Never with an exponent."""
    changed(boardless, "run.json", lambda facts: facts.update(scale=0.00002))
    derived = derive(read_run(boardless))

    assert "scale 0.00002 of the scenario's rates" in run_text(derived)
    assert "e-05" not in run_page(derived).partition("<h2>Inputs")[0]


@pytest.mark.parametrize("columns", [80, 60, 132])
def test_the_tables_fit_the_terminal(tmp_path: Path, columns: int) -> None:
    """However long the names and large the figures, no line is wider than the terminal."""
    path = _renamed(make_run(tmp_path, replace(SHORT, scale=0.003, failing=(1, 3))), 3)
    path.rename(tmp_path / "r")
    text = run_text(derive(read_run(tmp_path / "r")), columns)
    table, keys = (block for block in text.split("\n\n") if block.startswith(("operation", "keys")))
    wide = [line for line in text.splitlines() if len(line) > columns]

    assert [] == [line for line in wide if len(max(line.split(), key=len)) < 60]
    assert "times in ms from the intended start" in table
    assert max(map(len, (*table.splitlines(), *keys.splitlines()))) <= columns


def test_an_everyday_run_keeps_every_operation_at_80_columns(tmp_path: Path) -> None:
    """What has no room is named with the file that holds it; a file gets every column."""
    derived = derive(read_run(make_run(tmp_path, SHORT)))
    header = run_text(derived, 80).splitlines()[3].split()

    assert header == [
        "operation",
        "offered",
        "achieved/s",
        "failed",
        "dropped",
        "p50",
        "p99",
        "max",
        "service",
        "p99",
    ]
    assert "in operations.csv: ok, p999" in " ".join(run_text(derived, 80).split())
    assert " ok " in run_text(derived).splitlines()[3]
