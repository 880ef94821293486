"""report.html: one run on one page, the verdict first."""

from typing import Any

from reports.derived import Derived
from reports.numbers.event_figures import event_figures
from reports.numbers.rounding import Cell, ratio
from reports.numbers.span import ranges
from reports.numbers.write_parts import parts_sentence
from reports.page import run_plots
from reports.page.inputs import input_groups
from reports.page.plots.timeline import Timeline
from reports.page.render import render
from reports.page.story import OPERATION_MEANINGS, headline, skew_sentences, story
from reports.rundir.facts import Facts
from reports.rundir.reading import Audit
from reports.rundir.scenario_facts import Drill
from reports.sentences import (
    drill_sentences,
    edges_sentence,
    event_sentences,
    events_sentence,
    sweep_sentences,
)
from reports.tables.operations import ALL
from reports.verdict.judgement import Outcome
from reports.verdict.verdict import Status
from reports.wording import plain, scale_words

REPORT_HTML = "report.html"

Records = list[dict[str, Cell]]


def run_page(derived: Derived) -> str:
    """The page as text; the same run always gives the same page."""
    facts = derived.run.facts
    return render(
        "report.html.j2",
        title=facts.title,
        facts=facts,
        scale=scale_words(facts.scale) if facts.model.modelled_mix else plain(facts.scale),
        scale_of="the model" if facts.model.modelled_mix else "the scenario's rates",
        rates_of=facts.rates_of,
        service_words=_service_words(facts),
        write_parts=parts_sentence(derived.write_parts),
        story=story(derived.run),
        inputs=input_groups(facts),
        **_verdict(derived),
        **_load(derived),
        **_times(derived),
        **_keys(derived),
        **_drill(derived.run.drill),
        **_event(derived),
        **_sweep(derived),
        **_audit(derived.run.audit),
    )


def _service_words(facts: Facts) -> list[str]:
    """What is to be said of the service beside every figure, as far as it told."""
    settings = [f"{name}={one.value}" for name, one in facts.read_settings.items() if one.is_used]
    return [*filter(None, [facts.stack_words, facts.ledger_words]), *settings]


def _verdict(derived: Derived) -> dict[str, Any]:
    verdict, drill = derived.verdict, derived.run.drill
    met = [one.sentence for one in verdict.objectives if one.outcome is Outcome.MET]
    return {
        "status": verdict.status.value,
        "headline": headline(derived),
        "proof": events_sentence(drill) if drill else None,
        "reasons": verdict.reasons,
        "met": [] if verdict.status is Status.PASS else met,
        "checks": verdict.checks,
    }


def _load(derived: Derived) -> dict[str, Any]:
    records = derived.tables["operations.csv"].records()
    measured = len(records) > 1 and records[-1]["offered"] is not None
    for record in records:
        record["achieved_ratio"] = _achieved(record)
    names = [str(record["operation"]) for record in records]
    return {
        "operations": records if measured else [],
        "meanings": {
            name: OPERATION_MEANINGS[name] for name in names if name in OPERATION_MEANINGS
        },
        "all_row": next((one for one in records if one["operation"] == ALL and measured), None),
        "edges": edges_sentence(derived),
        "failures": derived.tables["failures.csv"].records(),
    }


def _achieved(record: dict[str, Cell]) -> float | None:
    achieved, offered = record["achieved_per_second"], record["offered_per_second"]
    if isinstance(achieved, int | float) and isinstance(offered, int | float):
        return ratio(achieved, offered)
    return None


def _times(derived: Derived) -> dict[str, Any]:
    timeline = run_plots.timeline_of(derived)
    return {
        "percentile_plot": run_plots.percentiles(derived),
        "late_ms": run_plots.late_ms(derived),
        "timeline_plot": run_plots.timeline(timeline) if timeline else None,
        "stalls": _stalls(timeline) if timeline else [],
        "timeline": timeline,
    }


def _stalls(timeline: Timeline) -> list[str]:
    """Operations that stalled in the same seconds are named together."""
    stalled: dict[tuple[int, ...], list[str]] = {}
    for strip in timeline.strips:
        if strip.stalled:
            stalled.setdefault(tuple(strip.stalled), []).append(strip.operation)
    return [
        f"{', '.join(names)}: {len(seconds)} of {timeline.measured} seconds "
        f"(second {ranges(seconds)})"
        for seconds, names in stalled.items()
    ]


def _keys(derived: Derived) -> dict[str, Any]:
    records: Records = derived.tables["keys.csv"].records()
    shards = derived.tables.get("shards.csv")
    return {
        "keys_plot": run_plots.keys(derived),
        "skew": derived.skew,
        "skew_sentences": skew_sentences(derived),
        "keys": records,
        "most_keys": run_plots.MOST_KEYS,
        "shards": shards.records() if shards else [],
    }


def _drill(drill: Drill | None) -> dict[str, Any]:
    return {
        "drill": drill,
        "drill_sentences": drill_sentences(drill) if drill else [],
        "drill_plot": run_plots.drill(drill) if drill else None,
    }


def _event(derived: Derived) -> dict[str, Any]:
    figures = event_figures(derived.run.facts, derived.run.measurements)
    table = derived.tables.get("odometer.csv")
    return {
        "event_sentences": event_sentences(figures) if figures else [],
        "event_rows": table.records() if table else [],
    }


def _sweep(derived: Derived) -> dict[str, Any]:
    figures = derived.sweep
    table = derived.tables.get("sweep.csv")
    trusted = derived.verdict.status is not Status.INVALID
    return {
        "sweep_sentences": sweep_sentences(figures, trusted=trusted) if figures else [],
        "sweep_rows": table.records() if table else [],
    }


def _audit(audit: Audit | None) -> dict[str, Any]:
    return {"audit": audit, "invariants": audit.invariants if audit else []}
