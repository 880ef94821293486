"""The run told in plain words, for somebody who knows neither Redis nor the project."""

from collections.abc import Iterator, Mapping
from typing import Any

from reports.derived import Derived
from reports.numbers.span import measured_seconds
from reports.page.formats import count, rate
from reports.rundir.facts import Facts, OperationRate
from reports.rundir.reading import Run
from reports.verdict.judgement import Outcome
from reports.verdict.verdict import Status
from reports.wording import host_of, no_key_words, percent, scale_words

OPERATION_MEANINGS = {
    "submit": "a game reports a player's new score",
    "submit_batch": "a game server reports many scores of one board at once",
    "top": "somebody asks for the best players of all",
    "partition_top": "somebody asks for the best players of one board",
    "around": "a player asks who is ranked just above and below",
    "rank": "a player asks for the exact place among all",
    "rank_exact": "a player asks for the exact place among all",
    "event_v1": "a player's old build asks how far everybody has come together",
    "event_v2": "a player's new build asks the same, with the tiers and how it ended",
    "event_player": "a player asks for the own part in it",
    "races": "a game server reports a completed race",
    "count": "a member's link is visited, or somebody signs up through it",
    "achievements": "a member looks at the own levels and points",
    "colleagues": "a member looks at the points of an organisation",
    "rank_bounded": "a player asks for the place among all, and how far off it may be",
}
HOT_KEY = (
    "The ranking lives in a Redis-compatible server, where each ranked list has a name, its key, "
    "and all commands on a key are carried out one after another by one server thread. A key that "
    "draws most of the load is a hot key: it is at its limit long before the machines are."
)
_WRITE = "submit"
_READS = ("top", "around")
_MODELLED = (_WRITE, *_READS)
_TOLD_ONE_BY_ONE = 2
_HERE = ("127.0.0.1", "localhost", "::1")


def headline(derived: Derived) -> str:
    """The verdict as one sentence a reader can act on."""
    verdict = derived.verdict
    if verdict.status is Status.INVALID:
        return "The measurement cannot be trusted. Do not use its figures."
    if verdict.status is Status.PASS:
        return "The measurement can be trusted, and it met every objective."
    missed = {one.name for one in verdict.objectives if one.outcome is Outcome.MISSED}
    every = {one.name for one in verdict.objectives}
    parts = []
    if missed:
        parts.append(f"it missed {len(missed)} of {len(every)} objectives")
    audit = derived.run.audit
    if audit and not all(one.held for one in audit.invariants):
        parts.append("the audit afterwards does not hold")
    return f"The measurement can be trusted, but {' and '.join(parts)}."


def story(run: Run) -> list[str]:
    """What was imitated, what a hot key is, and what the figures do not say."""
    facts = run.facts
    if not facts.model.modelled_mix:
        return [sent(run), *_broken(run), limits(facts)]
    return [" ".join(imitated(run)), *_broken(run), " ".join(_hot_key(facts)), limits(facts)]


def _broken(run: Run) -> Iterator[str]:
    if run.drill is None:
        return
    if not run.drill.faults:
        yield f"It was to be a drill, and ended before anything was broken. {run.drill.sentence}"
        return
    faults = [
        f"from second {fault.from_second:.1f} to {fault.to_second:.1f}"
        for fault in run.drill.faults
    ]
    when = " and ".join(faults) if len(faults) <= _TOLD_ONE_BY_ONE else f"{len(faults)} times"
    yield (
        f"It was a drill: while the load went on, {when}, something was made to go wrong. "
        f"{run.drill.sentence} What counts is that every score that was accepted is still there "
        "afterwards, and how soon everything was as before."
    )


def sent(run: Run, subject: str = "This run") -> str:
    """The load of a scenario with operations of its own, and what part of it this run sent."""
    facts = run.facts
    model = facts.model.operations
    whole = sum(one.model_per_second for one in model.values())
    verb = "sent" if _ended_as_planned(run) else "was meant to send"
    part = "" if facts.scale == 1 else f"{scale_words(facts.scale)} of "
    return (
        f"At full scale the scenario sends {count(whole)} requests a second. "
        f"{subject} {verb} {part}that: {_rates(model)} a second, "
        f"for {_seconds(facts)}{_where(facts)}."
    )


def imitated(run: Run, subject: str = "This run") -> Iterator[str]:
    """The load of the model, what part of it this run sent where, and what it sent beside it."""
    facts = run.facts
    model, derived = facts.model, facts.model.derived
    players = model.assumptions.get("concurrent_players")
    writes = derived.get("score_updates_per_second")
    reads = derived.get("leaderboard_reads_per_second")
    if players and writes and reads:
        yield (
            f"A game with {count(players)} players at once would send its leaderboard "
            f"{count(writes)} score updates and {count(reads)} reads a second."
        )
    rates = {name: one.per_second for name, one in model.operations.items()}
    here = "" if facts.scale == 1 else f"{scale_words(facts.scale)} of "
    loaded = f"{count(facts.players)} players, " if facts.players else ""
    writing = f"{rate(rates[_WRITE])} updates and " if _WRITE in rates else ""
    reading = sum(rates.get(name, 0) for name in _READS)
    yield (
        f"{subject} {_did(run)} {here}that load: {loaded}{writing}{rate(reading)} reads a second, "
        f"for {_seconds(facts)}{_where(facts)}."
    )
    beside = {name: one for name, one in model.operations.items() if name not in _MODELLED}
    if beside:
        waves = any(one.seconds not in {None, facts.duration_seconds} for one in beside.values())
        yield f"Beside it came {_rates(beside)} a second{', in waves' if waves else ''}."


def _rates(operations: Mapping[str, OperationRate]) -> str:
    return ", ".join(f"{name} {rate(one.per_second)}" for name, one in operations.items())


def _seconds(facts: Facts) -> str:
    unit = "second" if facts.duration_seconds == 1 else "seconds"
    return f"{facts.duration_seconds:g} {unit}"


def _did(run: Run) -> str:
    """A run that was cut short did not do what it was meant to."""
    return "imitated" if _ended_as_planned(run) else "was meant to imitate"


def _ended_as_planned(run: Run) -> bool:
    planned = int(run.facts.duration_seconds)
    measured = measured_seconds(run.facts, run.measurements) if run.measurements else 0
    return measured == planned


def _where(facts: Facts) -> str:
    address = host_of(facts.target or "")
    if facts.foreign or (address and address not in _HERE):
        return f", against a service at {address or 'another address'}"
    cores = facts.host.get("cores")
    cpu = facts.host.get("cpu")
    machine = f" with {cores} cores" if cores else ""
    named = f" ({cpu})" if cpu else ""
    held = ", the service in containers" if facts.stack == "compose" else ""
    return f", with the load and the service on one machine{machine}{named}{held}"


def _hot_key(facts: Facts) -> Iterator[str]:
    yield HOT_KEY
    keys = len(facts.board_keys)
    if facts.mode == "naive":
        yield (
            "In this run, called naive, one key ranks all players, so it takes every score update "
            "by design: this is the hot key."
        )
    elif keys:
        yield (
            f"In this run, called {facts.mode}, the players are spread over {keys} keys, one for "
            "each region, game mode and season, so that none has to be hot."
        )


def limits(facts: Facts) -> str:
    """What the figures do not say."""
    if facts.scale == 1:
        return "The load is made up, and the figures hold for the machine that ran it."
    shown = "They show how the load spreads over the keys and what that costs here; they do not say"
    if not facts.model.modelled_mix:
        shown = "They do not say"
    return (
        f"The load is made up, the scale is {scale_words(facts.scale)}, and the figures hold for "
        f"the machine that ran it. {shown} what a production system can carry."
    )


def skew_sentences(derived: Derived) -> list[str]:
    """The skew of writes and of reads, each as a sentence."""
    if derived.skew is None:
        return [f"The keys are not known: {derived.traffic.reason}."]
    sentences = [
        _skew_sentence(op, skew, len(derived.traffic.of(op)))
        for op, skew in derived.skew.items()
        if skew
    ]
    words = no_key_words(none_needed=not derived.run.facts.model.needs_boards)
    return sentences or [f"{words.capitalize()}."]


def _skew_sentence(op: str, skew: dict[str, Any], keys: int) -> str:
    what = "score updates" if op == "write" else "reads"
    share, fair, effective = skew["hottest_share"], skew["fair_share"], skew["effective_keys"]
    times = f", {rate(share / fair)} times the fair share of {percent(fair)}" if fair else ""
    if skew["keys_touched"] == 1:
        return f"All {what} went to one key, {skew['hottest_key']}{times}."
    return (
        f"The {what} touched {skew['keys_touched']} of {keys} keys. The hottest, "
        f"{skew['hottest_key']}, took {percent(share)}{times}. All in all they were spread as "
        f"evenly as over {rate(effective)} equally loaded keys."
    )
