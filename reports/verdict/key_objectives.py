"""Objectives on keys: all writes on the one of naive, the spread of partitioned."""

from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Any

from reports.numbers.skew import skew_of
from reports.numbers.traffic import KeyTraffic
from reports.verdict.judgement import Evidence, Judgement, Outcome, exact
from reports.wording import percent


def hottest_write_share(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """The share of the hottest key, which the naive design is meant to reach."""
    least = exact(asked["hottest_write_share"])
    wanted = f"{percent(least)}, since one key ranks all players"
    writes = evidence.traffic.of("write")
    skew = skew_of(writes, evidence.facts.fair_keys)
    if skew is None:
        yield _unseen("hottest write share", evidence, wanted)
        return
    total = sum(key.weight for key in writes)
    hottest = max(key.weight for key in writes)
    yield Judgement(
        "hottest write share",
        Outcome.MET if hottest >= least * total else Outcome.MISSED,
        wanted,
        f"{skew.hottest_key} took {hottest:,} of {total:,} writes, {percent(skew.hottest_share)}",
    )


def keys_touched(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """How many keys were written: `all`, or a number of them."""
    expected = evidence.facts.board_keys
    least = len(expected) if asked["keys_touched"] == "all" else int(exact(asked["keys_touched"]))
    wanted = f"all {least}" if least == len(expected) else f"at least {least}"
    writes = evidence.traffic.of("write")
    if not expected or not any(key.weight for key in writes):
        yield _unseen("keys touched", evidence, wanted)
        return
    touched = {key.key for key in writes if key.weight}
    missing = [key for key in expected if key not in touched]
    named = f"; not written: {', '.join(missing)}" if missing else ""
    reached = len(expected) - len(missing)
    yield Judgement(
        "keys touched",
        Outcome.MET if reached >= least else Outcome.MISSED,
        wanted,
        f"{reached} of {len(expected)} keys were written{named}",
    )


def hottest_share(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """The hottest key's share against what the popularity gives it, with room for chance."""
    sigmas = float(exact(asked["hottest_share_sigmas"]))
    writes = evidence.traffic.of("write")
    written = sum(key.weight for key in writes)
    computed = _computed_shares(evidence)
    if not written or not computed:
        yield _unseen("hottest share", evidence, f"computed share + {sigmas:g} standard deviations")
        return
    hottest = max(writes, key=lambda key: key.weight)
    share = computed.get(hottest.key, 0.0)
    limit = share + sigmas * sqrt(share * (1 - share) / written)
    yield Judgement(
        "hottest share",
        Outcome.MET if hottest.weight / written <= limit else Outcome.MISSED,
        f"at most {percent(limit)} = computed {percent(share)} + {sigmas:g} standard deviations",
        _hottest(hottest, written),
    )


def _hottest(key: KeyTraffic, total: int) -> str:
    return (
        f"the hottest key, {key.key}, took {key.weight:,} of {total:,} members written, "
        f"{percent(key.weight / total)}"
    )


def _computed_shares(evidence: Evidence) -> dict[str, float]:
    """What the popularity gives each Redis key: the sum over the partitions it serves."""
    service = evidence.facts.service
    shares: dict[str, float] = {}
    for partition, share in evidence.facts.model.partition_shares.items():
        key = service.boards.get(partition, partition) if service else partition
        shares[key] = shares.get(key, 0.0) + share
    return shares


def _unseen(name: str, evidence: Evidence, wanted: str) -> Judgement:
    """Why the keys say nothing; the counters of a foreign service were never promised."""
    reason = evidence.traffic.reason
    if reason is None and not any(key.weight for key in evidence.traffic.of("write")):
        return Judgement(name, Outcome.MISSED, wanted, "no write reached a key")
    why = reason or "run.json holds neither the keys nor their computed shares"
    outcome = Outcome.NOT_ASKED if evidence.facts.foreign else Outcome.NOT_JUDGED
    return Judgement(name, outcome, wanted, f"the keys cannot be judged: {why}")
