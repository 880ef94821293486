"""Objectives on keys: the one key of naive, the spread, room for chance."""

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

from judged_runs import NAIVE, SHORT, Change, changed, judged
from made_plan import PARTITIONS
from made_runs import make_run

from reports.verdict.verdict import Status


def _writes(shares: list[int]) -> Change:
    def change(content: dict[str, Any]) -> None:
        for key, written in zip(PARTITIONS, shares, strict=True):
            start = content["keys"]["start"]["keys"][key]["write"]["members_written"]
            content["keys"]["end"]["keys"][key]["write"]["members_written"] = start + written

    return change


def test_the_hottest_share_has_room_for_chance(tmp_path: Path) -> None:
    """The limit is the computed share plus four standard deviations of the binomial."""
    total = 12_000
    limit = total / 12 + 4 * sqrt(total * (1 / 12) * (11 / 12))
    for hottest, status in ((int(limit), Status.PASS), (int(limit) + 1, Status.FAIL)):
        rest = [(total - hottest) // 11] * 11
        rest[0] += total - hottest - sum(rest)
        path = make_run(tmp_path / str(hottest), SHORT)
        changed(path, "measurements.json", _writes([hottest, *rest]))

        assert status is judged(path).status


def test_the_computed_share_follows_the_popularity(tmp_path: Path) -> None:
    """A partition that is meant to be hot is not blamed for it."""
    shares = (2 / 12, *[10 / 12 / 11] * 11)
    hot = replace(SHORT, shares=shares, popularity="hot-partition")
    path = make_run(tmp_path / "meant", hot)
    misread = make_run(tmp_path / "not-meant", hot)
    changed(
        misread,
        "run.json",
        lambda content: content["model"].update(partition_shares=dict.fromkeys(PARTITIONS, 1 / 12)),
    )

    assert judged(path).status is Status.PASS
    assert judged(misread).status is Status.FAIL


def test_an_untouched_key_is_named(tmp_path: Path) -> None:
    """Partitioned must write every key; the one it missed is named."""
    path = make_run(tmp_path, SHORT)
    changed(path, "measurements.json", _writes([110] * 11 + [0]))

    assert (
        "11 of 12 keys were written; not written: lb:apac:squad:s1 (objective: all 12)"
        in judged(path).reasons
    )


def test_naive_must_meet_its_obstacle(tmp_path: Path) -> None:
    """A naive run whose writes went to two keys does not show what it is meant to show."""
    path = make_run(tmp_path, NAIVE)

    def change(content: dict[str, Any]) -> None:
        for when in ("start", "end"):
            keys = content["keys"][when]["keys"]
            keys["lb:other"] = json.loads(json.dumps(keys["lb:global:all:s1"]))

    changed(path, "measurements.json", change)
    verdict = judged(path)

    assert verdict.status is Status.FAIL
    assert (
        "lb:global:all:s1 took 1,200 of 2,400 writes, 50 % (objective: 100 %, since one "
        "key ranks all players)" in verdict.reasons
    )
