"""Plans of small runs for the tests of the load."""

from dataclasses import replace

from locustfiles.run.plan import Plan
from workload.assumptions import Assumptions
from workload.load import LoadSettings

PLAN = Plan(
    run_id="20260101T000000Z-peak-naive",
    target="http://127.0.0.1:8000",
    slice_index=0,
    slices=1,
    scale="0.001",
    seed=7,
    players=12_000,
    duration_seconds=1,
    warmup_seconds=0,
    sequence_base=1_700_000_000_000_000,
    player_prefix="",
    request_log="",
    assumptions=Assumptions(),
    load=LoadSettings(),
    rates={"submit": "240", "top": "25", "around": "75"},
)
# An event's load: 100 races a second, one in twenty delivered twice.
RACES = replace(
    PLAN,
    run_id="run",
    rates={"races": "100"},
    duration_seconds=60,
    load=LoadSettings(resent_share=0.05),
)


def slices_of(plan: Plan, slices: int) -> list[Plan]:
    """The plans of all workers of a run."""
    return [replace(plan, slices=slices, slice_index=number) for number in range(slices)]
