"""ARCHITECTURE.md says what the model, the sample, the slots of the keys and the code say."""

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from lab.drills.catalogue import DRILLS
from workload.assumptions import Assumptions
from workload.model import TrafficModel, partition_keys

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
SLOTS = 16_384
SECTIONS = [
    "Requirement boundary",
    "Measured local obstacle",
    "Partition and query model",
    "How a request is served",
    "Where things are",
    "Three ways through the code",
    "Ours in a library's place",
    "Words",
    "AWS production mapping",
    "Failure contract",
]
LAST_LINE = "No AWS resources are deployed by this project."
# What the code is called by in the page: `folder/file.py:Class.method`, or a path alone.
CODE = re.compile(r"`([\w-]+/[\w./<>-]+)(?::([\w.]+))?`")
CHANGES = {
    *("an operation of the load", "a scenario", "a mode", "a drill", "a dashboard panel"),
    *("a column of a report", "a route", "a metric of the service", "a setting of the service"),
}
MOST_STEPS = 19


def rows_of(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def rows_of_all(text: str) -> list[list[str]]:
    """The rows of several tables."""
    return [row for part in text.split("\n### ")[1:] for row in rows_of(part)]


def marked(name: str) -> list[list[str]]:
    """The rows of the table between two markers."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", TEXT, flags=re.DOTALL)
    assert found is not None
    return rows_of(found[1])


def slot(key: str) -> int:
    """The cluster slot of a key without a tag: CRC-16/XMODEM, by the cluster's specification."""
    crc = 0
    for byte in key.encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x1021) & 0xFFFF if crc & 0x8000 else crc << 1
    return crc % SLOTS


def test_the_sections_stand_in_order() -> None:
    """None is missing, and the last line says that nothing is deployed."""
    assert re.findall(r"^## (.*)$", TEXT, flags=re.MULTILINE) == SECTIONS
    assert TEXT.splitlines()[-1] == LAST_LINE


def test_the_model_is_the_models() -> None:
    """Every value of the boundary is what the workload's own model derives."""
    model, assumed = TrafficModel(Assumptions()), Assumptions()
    numbers = [
        assumed.concurrent_players,
        f"{assumed.update_fraction_per_second:.0%}".replace("%", " %"),
        assumed.leaderboard_reads_per_player_per_minute,
        f"{assumed.top_k_share:.0%}".replace("%", " %"),
        f"{assumed.around_me_share:.0%}".replace("%", " %"),
        *map(len, (assumed.regions, assumed.modes, assumed.active_seasons)),
        int(assumed.hot_partition_multiplier),
        model.score_updates_per_second,
        model.leaderboard_reads_per_second,
        model.top_k_reads_per_second,
        model.around_me_reads_per_second,
        model.active_partition_count,
        model.average_players_per_partition,
        model.hot_partition_players,
        model.average_updates_per_partition_per_second,
        model.hot_updates_per_partition_per_second,
    ]

    told = [value for _, value, _ in marked("model")]
    assert told == [f"{one:,}" if isinstance(one, int) else str(one) for one in numbers]
    assert [kind for *_, kind in marked("model")] == ["fixed"] + ["assumed"] * 8 + ["follows"] * 9


def test_the_obstacle_is_the_samples() -> None:
    """The figures are the committed comparison's medians."""
    with (ROOT / "docs" / "sample" / "comparison.csv").open(newline="") as lines:
        sample = {
            (row["operation"], row["measure"]): (float(row["a_median"]), float(row["b_median"]))
            for row in csv.DictReader(lines)
            if row["a_median"]
        }
    asked = [
        ("write", "hottest_share"),
        ("write", "effective_keys"),
        ("submit", "p50_ms"),
        ("submit", "p99_ms"),
        ("top", "p50_ms"),
        ("around", "p50_ms"),
    ]

    def shown(measure: str, value: float) -> str:
        if measure == "hottest_share":
            return f"{100 * value:.1f}".removesuffix(".0") + " %"
        return f"{value:.2f}" + (" ms" if measure.endswith("_ms") else "")

    expected = [[shown(one[1], value) for value in sample[one]] for one in asked]
    assert [row[1:] for row in marked("sample")] == expected


@pytest.mark.parametrize("row", marked("slots"), ids=lambda row: f"{row[0]} shards")
def test_the_keys_lie_on_the_shards_that_it_says(row: list[str]) -> None:
    """Slots are dealt in equal ranges, as a cluster's creation does."""
    shards = int(row[0])
    keys = partition_keys(Assumptions())
    counts = [0] * shards
    for key in keys:
        counts[slot(key) * shards // SLOTS] += 1

    def percent(share: float) -> str:
        return f"{100 * share:.1f}".removesuffix(".0") + " %"

    hottest, even = percent(max(counts) / len(keys)), percent(1 / shards)
    idle = str(counts.count(0))
    assert row[1:] == [", ".join(map(str, counts)), hottest, even, idle]


def test_the_slot_is_the_clusters() -> None:
    """The check value of the checksum, from the cluster's specification."""
    assert slot("123456789") == 0x31C3 % SLOTS


@pytest.mark.parametrize(
    ("worked_out", "told"),
    [
        (240_000 / 1_000, "**240 shards**"),
        (240_000 * 174 / 1e6, "**42 shards**"),
        (240_000 / 1_000, "**240 partitions**"),
        (240_000 * 2 * 2 / 1_000, "**960 partitions**"),
        (240_000 * 86_400 / 1e9, "20.7 billion ids"),
        (240_000 * 43e-6, "10.3 threads"),
        (40_000 * 43e-6, "1.7 threads"),
        (240_000 * 18e-6, "4.3 threads"),
        (75_000 * 91e-6, "**6.8 threads**"),
        (139 * 12_000_000 / 1e9, "**1.7 GB**"),
        (12.6 * 12_000_000 / 1e6, "**151 MB**"),
    ],
)
def test_the_sizes_follow_from_their_formulas(worked_out: float, told: str) -> None:
    """Each result that stands out is what its formula gives, to the digits shown."""
    (number,) = re.findall(r"[0-9.]+", told)
    digits = len(number.partition(".")[2])

    assert told in TEXT
    assert f"{worked_out:.{digits}f}" == number


def test_six_failures_are_each_shown_by_something() -> None:
    """The contract has six rows; the drills they name exist, and all but one name one."""
    contract = rows_of(TEXT.partition("## Failure contract")[2])
    named = [set(re.findall(r"\[`([a-z-]+)`\]", row[-1])) for row in contract]

    assert len(contract) == 6
    assert [bool(drills) for drills in named] == [True, True, True, True, False, True]
    assert set().union(*named) == set(DRILLS) - {"disk-full"}
    assert "popularity=hot-partition" in contract[4][-1]


def section(title: str) -> str:
    """The text below a heading, up to the next one of its kind or a greater one."""
    heading = re.search(rf"^(#+) {re.escape(title)}\n", TEXT, flags=re.MULTILINE)
    assert heading is not None
    end = rf"^#{{1,{len(heading[1])}}} "
    return re.split(end, TEXT[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]


def defined_in(node: ast.AST, prefix: str = "") -> Iterator[str]:
    """Every name that a module, a class or a function defines, with those inside it."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield prefix + child.name
                yield from defined_in(child, f"{prefix}{child.name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name


@cache
def names_of(path: Path) -> frozenset[str]:
    """The names that a Python file defines."""
    return frozenset(defined_in(ast.parse(path.read_text(encoding="utf-8"))))


def is_there(path: str, name: str) -> bool:
    """Whether a path, in which `<name>` stands for any name, is there and defines the name."""
    found = list(ROOT.glob(re.sub(r"<\w+>", "*", path)))
    return bool(found) and all(not name or name in names_of(file) for file in found)


def test_all_code_that_is_named_exists() -> None:
    """Every path of the page is there, and every function, class or value in it."""
    missing = [f"{path}:{name}" for path, name in CODE.findall(TEXT) if not is_there(path, name)]

    assert [] == missing


def test_the_map_names_what_is_changed_most() -> None:
    """Each row of it leads to code."""
    rows = {row[0]: row[1] for row in rows_of(section("To change something"))}

    assert CHANGES <= set(rows)
    assert [] == [what for what, where in rows.items() if not ("`" in where or "Makefile" in where)]


@pytest.mark.parametrize(
    "way",
    [
        "One arrival to its CSV row",
        "One score to ledger and Redis",
        "One run directory to its page",
    ],
)
def test_a_way_is_short_and_every_step_names_code(way: str) -> None:
    """In order, in under twenty steps, each with a file and what to look for in it."""
    steps = re.findall(r"^(\d+)\. (.*)$", section(way), flags=re.MULTILINE)

    assert [str(number) for number in range(1, len(steps) + 1)] == [number for number, _ in steps]
    assert 0 < len(steps) <= MOST_STEPS
    without = [text for _, text in steps if not any(name for _, name in CODE.findall(text))]
    assert [] == without


def test_a_word_has_one_meaning_and_one_place() -> None:
    """No word stands twice, and each is owned by something in the code."""
    rows = rows_of_all(section("Words"))

    assert len(rows) == len({word for word, *_ in rows})
    assert [] == [word for word, _, where in rows if CODE.fullmatch(where) is None]


def test_every_lease_is_that_of_its_code() -> None:
    """The names of the leases are those that the service's workers take."""
    for _, lease, where in marked("leases"):
        (path, _), *_ = CODE.findall(where)
        assert lease.replace("`", '"') in (ROOT / path).read_text(encoding="utf-8")
