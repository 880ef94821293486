"""Comparisons: medians, spread, ratios, what differs and what does not."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from judged_runs import NAIVE, SHORT, changed
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.comparison.measures import Measure
from reports.comparison.page import comparison_page
from reports.comparison.sides import Spread, sides_of, spread_of
from reports.comparison.words import findings, story
from reports.derived import derive
from reports.page.run_page import run_page
from reports.rundir.reading import read_run
from reports.terminal import run_text


def _rounds(parent: Path, plan: Plan, seeds: Sequence[int]) -> list[str]:
    """Runs of one plan, a second apart."""
    return [
        str(make_run(parent, replace(plan, seed=seed, stamp=f"20260906T1200{number:02}Z")))
        for number, seed in enumerate(seeds)
    ]


def _rows(out: Path) -> dict[tuple[str, str], dict[str, str]]:
    with (out / "comparison.csv").open(newline="") as file:
        return {(row["operation"], row["measure"]): row for row in csv.DictReader(file)}


def _page(first: Sequence[str | Path], second: Sequence[str | Path]) -> str:
    """The page of a comparison, with plain spaces."""
    sides = ([derive(read_run(Path(path))) for path in side] for side in (first, second))
    return comparison_page(*sides_of(*sides)).replace("\N{NO-BREAK SPACE}", " ")


def test_medians_spread_and_ratio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """comparison.csv holds each measure's median, its ends and the ratio of the medians."""
    naive = _rounds(tmp_path, NAIVE, (1, 2, 3))
    partitioned = _rounds(tmp_path, SHORT, (1, 2, 3))
    out = tmp_path / "out"

    assert main(["compare", *naive, "--against", *partitioned, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "naive: pass, pass, pass\npartitioned: pass, pass, pass\n" in printed
    assert "The hottest key took 100 % of all score updates in naive" in printed.replace(
        "\n    ", " "
    )
    assert f"files: {out / 'comparison.html'}" in printed
    rows = _rows(out)
    p99 = [
        float(str(derive(read_run(Path(path))).tables["operations.csv"].records()[0]["p99_ms"]))
        for path in naive
    ]
    submit = rows["submit", "p99_ms"]
    assert sorted(p99) == [float(submit[f"a_{name}"]) for name in ("lowest", "median", "highest")]
    hottest = rows["write", "hottest_share"]
    assert ("1", "3", "1") == (hottest["a_median"], hottest["a_rounds"], hottest["apart"])
    assert float(hottest["ratio"]) == pytest.approx(float(hottest["b_median"]), abs=1e-6)
    assert ("0", "", "0") == tuple(
        rows["all", "failed"][name] for name in ("a_median", "ratio", "apart")
    )


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        ((1, 2, 3), (4, 5, 6), True),
        ((4, 5, 6), (1, 2, 3), True),
        ((1, 2, 4), (4, 5, 6), False),
        ((1,), (4, 5, 6), None),
        ((), (4, 5, 6), None),
    ],
)
def test_rounds_are_apart_or_overlap(
    a: tuple[int, ...], b: tuple[int, ...], apart: bool | None
) -> None:
    """Sides are apart when no round of one reaches the other; one round cannot tell."""
    assert apart is Measure("submit", "p99_ms", spread_of(a), spread_of(b)).apart


def test_a_median_is_told_where_the_sides_are_apart(tmp_path: Path) -> None:
    """A tail that overlaps says so; a median that is apart is told beside it, another is not."""
    (run,) = _rounds(tmp_path, SHORT, (1,))
    a, b = sides_of(*[[derive(read_run(Path(run)))]] * 2)
    low, high = Spread(0.57, 0.5, 0.6, 3), Spread(0.79, 0.7, 0.9, 3)
    measures = [
        Measure("top", "p50_ms", low, high),
        Measure("top", "p99_ms", low, low),
        Measure("around", "p50_ms", low, low),
        Measure("all", "p50_ms", low, high),
    ]

    assert [
        (
            "Half of the answers to top came within 0.57 ms in A and 0.79 ms in B: "
            "1.39 times as long, and apart in every round."
        ),
        (
            "99 of 100 answers to top came within 0.57 ms in A and 0.57 ms in B: "
            "the rounds overlap, so no difference is shown."
        ),
    ] == [one.replace("\N{NO-BREAK SPACE}", " ") for one in findings(measures, a, b)]


def test_a_spread_leaves_out_what_was_not_measured() -> None:
    """A round without the figure counts for nothing."""
    assert spread_of([3.0, None, 1.0, 8.0]) == Spread(3.0, 1.0, 8.0, 3)
    assert spread_of([None]) is None


def test_the_first_line_says_what_differs(tmp_path: Path) -> None:
    """Mode differs, all else is the same, and one thread serves both."""
    page = _page(_rounds(tmp_path, NAIVE, (1, 1)), _rounds(tmp_path, SHORT, (1, 1)))

    assert (
        "What differs: mode (naive against partitioned). The same on both sides: scenario, "
        "scale, seed, players, popularity, duration, load workers, ledger, machine, "
        "Redis-compatible server, service workers, revision. Both ran with LEDGER=none. Both ran "
        "on one Valkey server with one thread for commands: more keys bring no second thread here. "
        "The global top was live in both." in page
    )
    assert "Not the same in all rounds" not in page
    assert "took 100 % of all score updates in naive" in page


def test_sides_with_rates_of_their_own_imitate_no_model(tmp_path: Path) -> None:
    """Each run sent what its scenario says; nothing is told of a game, or of hot keys."""
    runs = [make_run(tmp_path / side, SHORT) for side in "ab"]
    for run in runs:
        changed(run, "run.json", lambda facts: facts["model"].update(modelled_mix=False))
    a, b = sides_of(*([derive(read_run(run))] for run in runs))
    told = story(a, b)

    assert 2 == len(told)
    assert told[0].startswith(
        "At full scale the scenario sends 340,000 requests a second. "
        "Each run sent 1/1000 of that: submit 240, top 25, around 75 a second, for 5 seconds"
    )


def test_every_differing_input_is_named(tmp_path: Path) -> None:
    """Two runs of one mode are A and B; seed, machine and a setting of the service differ."""
    first = _rounds(tmp_path / "a", SHORT, (1,))
    second = _rounds(tmp_path / "b", SHORT, (2,))
    changed(Path(second[0]), "run.json", lambda content: content["host"].update(cores=64))
    changed(
        Path(second[0]),
        "run.json",
        lambda content: content["service"]["capabilities"].update(materialised_top=True),
    )
    page = _page(first, second)

    assert "<h1>A against B</h1>" in page
    assert "seed (1 against 2)" in page
    assert "host.cores (2 against 64)" in page
    assert "3 inputs differ, so no figure shows the effect of one alone." in page
    assert "service.capabilities.materialised_top (no against yes)" in page
    assert "The global top was live in A, materialised in B." in page
    assert "with a single round a side, this may be chance" in page


def test_two_stacks_are_not_the_same_input(tmp_path: Path) -> None:
    """Containers cost something: a run on them and one without differ, and both say where."""
    embedded, compose = (
        changed(make_run(tmp_path / stack, SHORT), "run.json", partial(dict.update, stack=stack))
        for stack in ("embedded", "compose")
    )
    told = run_text(derive(read_run(compose)))
    page = run_page(derive(read_run(compose)))

    assert "What differs: stack (embedded against compose)." in _page([embedded], [compose])
    assert told.startswith(f"run {compose.name} on the compose stack\n")
    assert "with the load and the service on one machine" in page
    assert "the service in containers" in page
    assert "the compose stack" in page


def test_rounds_that_differ_among_themselves_are_named(tmp_path: Path) -> None:
    """Rounds of one side should be the same; an input that is not is named."""
    page = _page(_rounds(tmp_path / "a", NAIVE, (1, 2)), _rounds(tmp_path / "b", SHORT, (1, 2)))

    assert "Not the same in all rounds of a side: seed." in page
    assert "What differs: mode (naive against partitioned). The same" in page


@pytest.mark.parametrize(
    ("plan", "code", "headline"),
    [
        (replace(SHORT, failing=(1, 2)), 1, "not every run met its objectives"),
        (replace(SHORT, ended="interrupted", cut_at=2), 3, "Do not use this comparison"),
        (
            replace(SHORT, rates={"submit": 0, "top": 0, "around": 0}, audited=False),
            3,
            "Do not use this comparison",
        ),
    ],
    ids=["failed", "interrupted", "empty"],
)
def test_a_comparison_is_as_good_as_its_worst_run(
    plan: Plan, code: int, headline: str, tmp_path: Path
) -> None:
    """One bad run tells on the page and in the exit code."""
    naive, other = _rounds(tmp_path, NAIVE, (1,)), _rounds(tmp_path, plan, (1,))
    out = tmp_path / "out"

    assert code == main(["compare", *naive, "--against", *other, "--out", str(out)])
    assert headline in (out / "comparison.html").read_text()


def test_a_comparison_with_a_run_that_cannot_be_trusted_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the terminal as on the page: not to use it, and which run is the cause."""
    late = replace(SHORT, lateness_us=9000)
    naive, other = _rounds(tmp_path, NAIVE, (1,)), _rounds(tmp_path, late, (1,))
    main(["compare", *naive, "--against", *other, "--out", str(tmp_path / "out")])
    printed = " ".join(capsys.readouterr().out.split())
    reason = f"{Path(other[0]).name}: the generator's scheduler was more than 20 ms late"

    assert f"A run cannot be trusted. Do not use this comparison. · {reason}" in printed
    page = _page(naive, other).replace("&#39;", "'")
    assert reason in page
    for text in (printed, page):
        assert "99 of 100 answers" not in text
        assert "The hottest key took" not in text


def test_shards_are_named(tmp_path: Path) -> None:
    """A side on a cluster is named with its number of shards."""
    first, second = _rounds(tmp_path / "a", SHORT, (1,)), _rounds(tmp_path / "b", SHORT, (1,))
    shards = [{"shard": f"127.0.0.1:{port}", "keys": []} for port in (7001, 7002, 7003)]
    changed(Path(second[0]), "measurements.json", lambda content: content.update(shards=shards))

    page = _page(first, second)
    assert "A ran on one Valkey server with one thread for commands, B on 3 Valkey shards." in page


def test_a_missing_run_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that is not there ends with a sentence and writes nothing."""
    run = _rounds(tmp_path, NAIVE, (1,))
    out = tmp_path / "out"

    assert main(["compare", *run, "--against", "nothing", "--out", str(out)]) == 2
    assert "'nothing' is neither a run directory nor the id of a run" in capsys.readouterr().err
    assert not out.exists()


def test_a_comparison_prints_as_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table for a README is made from the comparison's own files, medians and all."""
    naive, partitioned = _rounds(tmp_path, NAIVE, (1, 2, 3)), _rounds(tmp_path, SHORT, (1, 2, 3))
    out = tmp_path / "out"
    main(["compare", *naive, "--against", *partitioned, "--out", str(out)])
    capsys.readouterr()

    assert main(["markdown", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    submit = [cell.strip() for cell in lines[2].strip("|").split("|")]
    p99 = float(_rows(out)["submit", "p99_ms"]["a_median"])
    assert ["naive", "`submit`"] == submit[:2]
    assert float(submit[3]) == pytest.approx(p99, rel=0.01)
    assert ["100 %", "0", "100 %"] == submit[4:]
    assert "Medians of 3 alternating rounds of 5 s at 1/1000 of the model" in lines[-1]


@pytest.mark.parametrize(
    ("table", "made"),
    [
        (None, None),
        (b"operation,measure\n", b'{"sides":[{"label":"a"},{"label":"b"}]}'),
        (b"operation,measure\ntop,p99_ms\n", b"[]"),
        (b"operation,measure\ntop,p99_ms\n", b'{"sides":[{"label":1},{}]}'),
        (b"\xff", b"{}"),
        (b"", b"[" * 100_000),
    ],
)
def test_markdown_of_no_comparison_is_a_sentence(
    table: bytes | None, made: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without a comparison is named, and so is one whose files are of another shape."""
    for name, content in (("comparison.csv", table), ("comparison.json", made)):
        if content is not None:
            (tmp_path / name).write_bytes(content)

    assert main(["markdown", str(tmp_path)]) == 2
    assert f"{tmp_path} holds no comparison that can be read" in capsys.readouterr().err
