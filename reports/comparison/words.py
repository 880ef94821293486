"""A comparison in sentences: what differs, what does not, and what came of it."""

from collections.abc import Iterator

from reports.comparison.inputs import Inputs, compared_inputs
from reports.comparison.measures import Measure, measures_of
from reports.comparison.sides import Side
from reports.derived import Derived
from reports.page.formats import milliseconds, share, shortened, times
from reports.page.story import HOT_KEY, imitated, limits, sent
from reports.rundir.reading import Run
from reports.terminal import wrapped
from reports.verdict.verdict import Status

_HEADLINE_INPUTS = {
    "scenario": "scenario",
    "stack": "stack",
    "mode": "mode",
    "scale": "scale",
    "seed": "seed",
    "players": "players",
    "popularity": "popularity",
    "duration_seconds": "duration",
    "workers": "load workers",
    "service.ledger": "ledger",
    "host.cpu": "machine",
    "versions.redis_server": "Redis-compatible server",
    "service.service.workers": "service workers",
    "git_revision": "revision",
}
DISTRUST = "A run cannot be trusted. Do not use this comparison."
_MOST = "99 of 100"
_PARTS = {"p50_ms": "Half of the", "p99_ms": _MOST}
_SERVERS = {"redis": "Redis", "valkey": "Valkey"}


def first_line(inputs: Inputs, a: Side, b: Side) -> str:
    """What differs and what does not, in one paragraph."""
    parts = [
        f"{_HEADLINE_INPUTS.get(one.name, one.name)} ({shortened('; '.join(one.a))} against "
        f"{shortened('; '.join(one.b))})"
        for one in inputs.between
    ]
    named = [word for name, word in _HEADLINE_INPUTS.items() if name in inputs.same]
    differs = f"What differs: {', '.join(parts)}." if parts else "No input differs."
    same = f"The same on both sides: {', '.join(named)}." if named else ""
    same += _ledgers(a, b)
    return " ".join(part for part in (differs, same, _threads(a, b), _top(a, b)) if part)


def _ledgers(a: Side, b: Side) -> str:
    """Figures without a ledger say so, whatever else they are compared for."""
    told = {side.rounds[0].run.facts.ledger_words for side in (a, b)}
    return " Both ran with LEDGER=none." if told == {"LEDGER=none"} else ""


def story(a: Side, b: Side) -> list[str]:
    """What both sides imitated, what a hot key is, and what the figures do not say."""
    facts = a.rounds[0].run.facts
    told = {side.label: _load(side.rounds[0].run) for side in (a, b)}
    same = len(set(told.values())) == 1
    first = [told[a.label]] if same else [f"{label}: {text}" for label, text in told.items()]
    if not facts.model.modelled_mix:
        return [*first, limits(facts)]
    keys = ", ".join(f"{side.label} had {_keys(side)}" for side in (a, b))
    return [*first, f"{HOT_KEY} Here {keys}.", limits(facts)]


def _load(run: Run) -> str:
    if run.facts.model.modelled_mix:
        return " ".join(imitated(run, "Each run"))
    return sent(run, "Each run")


def _keys(side: Side) -> str:
    count = len(side.rounds[0].run.facts.board_keys)
    return "one key for all players" if count == 1 else f"{count} keys to spread the players over"


def rounds_line(inputs: Inputs) -> str | None:
    """Inputs that differ within a side, though its rounds should be the same."""
    within = [one for one in inputs.different if max(len(one.a), len(one.b)) > 1]
    if not within:
        return None
    return f"Not the same in all rounds of a side: {', '.join(one.name for one in within)}."


def distrusted(a: Side, b: Side) -> list[str]:
    """Each run that cannot be trusted, with its first reason."""
    return [
        f"{one.run.facts.run_id}: {one.verdict.reasons[0]}"
        for one in (*a.rounds, *b.rounds)
        if one.verdict.status is Status.INVALID
    ]


def findings(measures: list[Measure], a: Side, b: Side) -> list[str]:
    """The hottest key, then each operation's p99, and its median where the sides are apart."""
    found: list[str] = []
    for one in measures:
        if one.operation == "write" and one.name == "hottest_share" and one.a and one.b:
            found.insert(
                0,
                f"The hottest key took {share(one.a.median)} of all score updates in {a.label} "
                f"and {share(one.b.median)} in {b.label}.",
            )
        told = _PARTS.get(one.name)
        if told and one.operation != "all" and one.a and one.b and (one.apart or told == _MOST):
            found.append(
                f"{told} answers to {one.operation} came within {milliseconds(one.a.median)} ms "
                f"in {a.label} and {milliseconds(one.b.median)} ms in {b.label}: {_apart(one)}."
            )
    return found


def _apart(measure: Measure) -> str:
    if measure.apart is None:
        return "with a single round a side, this may be chance"
    if not measure.apart:
        return "the rounds overlap, so no difference is shown"
    return f"{times(measure.ratio)} times as long, and apart in every round"


def _threads(a: Side, b: Side) -> str:
    found = [sorted({_servers(one) for one in side.rounds}) for side in (a, b)]
    if [] in found or "" in found[0] + found[1]:
        return ""
    if found[0] != found[1]:
        return f"{a.label} ran on {' or '.join(found[0])}, {b.label} on {' or '.join(found[1])}."
    if len(found[0]) == 1 and found[0][0].startswith("one"):
        return f"Both ran on {found[0][0]}: more keys bring no second thread here."
    return f"Both ran on {' or '.join(found[0])}."


def _servers(derived: Derived) -> str:
    service, measurements = derived.run.facts.service, derived.run.measurements
    shards = len(measurements.shards) if measurements else 0
    redis = (service.redis if service else None) or {}
    server = str(redis.get("server", "redis"))
    name = _SERVERS.get(server, server)
    if shards > 1:
        return f"{shards} {name} shards"
    if not redis or redis.get("cluster"):
        return ""
    return f"one {name} server with one thread for commands"


def _top(a: Side, b: Side) -> str:
    found = [list(dict.fromkeys(_tops(side))) for side in (a, b)]
    if not found[0] or not found[1]:
        return ""
    if found[0] == found[1] and len(found[0]) == 1:
        return f"The global top was {found[0][0]} in both."
    left, right = (" and ".join(tops) for tops in found)
    return f"The global top was {left} in {a.label}, {right} in {b.label}."


def _tops(side: Side) -> Iterator[str]:
    for one in side.rounds:
        service = one.run.facts.service
        if service and service.top:
            yield service.top


_WIDTH = 100


def comparison_text(a: Side, b: Side, columns: int | None = None) -> str:
    """The sentences of the page, wrapped; of what cannot be trusted there is no finding."""
    inputs = compared_inputs(a, b)
    lines = [one for one in (first_line(inputs, a, b), rounds_line(inputs)) if one]
    for side in (a, b):
        verdicts = ", ".join(one.verdict.status.value for one in side.rounds)
        lines.append(f"{side.label}: {verdicts}")
    reasons = distrusted(a, b)
    if reasons:
        lines += [DISTRUST, *(f"  · {one}" for one in reasons)]
    else:
        lines += ["", *(f"  · {one}" for one in findings(measures_of(a, b), a, b))]
    return wrapped("\n".join(lines), columns or _WIDTH) + "\n"
