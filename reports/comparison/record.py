"""comparison.json: whose figures a comparison holds, where they were measured and with what."""

from typing import Any

from reports.comparison.sides import Side

RECORD_JSON = "comparison.json"
SCHEMA_VERSION = 1


def record(a: Side, b: Side) -> dict[str, Any]:
    """The content of the file; facts are those of the first run, which the page compares."""
    facts = a.rounds[0].run.facts
    return {
        "schema_version": SCHEMA_VERSION,
        "sides": [
            {
                "label": side.label,
                "runs": [one.run.facts.run_id for one in side.rounds],
                "verdicts": [one.verdict.status.value for one in side.rounds],
            }
            for side in (a, b)
        ],
        "scenario": facts.scenario,
        "scale": facts.scale,
        "modelled_mix": facts.model.modelled_mix,
        "duration_seconds": facts.duration_seconds,
        "seed": facts.seed,
        "host": facts.host,
        "versions": facts.versions,
        "git_revision": facts.git_revision,
        "git_dirty": facts.git_dirty,
    }
