"""`out-of-order`: events that come late, with sequences, through an outage."""

from dataclasses import replace

from lab.service_settings import describe_ledger
from lab.terminal.bench import Bench
from lab.terminal.out_of_order_plan import Step, Story, make_story
from lab.terminal.out_of_order_report import Observed, OutOfOrderMeasurement, out_of_order_report
from lab.terminal.outage import go_through_outage
from lab.terminal.progress import progress
from lab.terminal.workbench import Workbench
from workload.model import partition_keys


def out_of_order(workbench: Workbench) -> list[str]:
    """Report whether an older event ever took the place of a newer one."""
    story = make_story(partition_keys(workbench.assumptions))
    with workbench.drill_bench() as bench:
        measured = _measure(bench, story)
    return out_of_order_report(measured, story, describe_ledger(workbench.drilled))


def _measure(bench: Bench, story: Story) -> OutOfOrderMeasurement:
    progress(f"sending {len(story.before)} events out of order")
    before = [
        replace(_send(bench, step), ranked=bench.client.sight(step.entry)) for step in story.before
    ]

    def send_rest() -> list[Observed]:
        progress(f"sending {len(story.during)} more while Redis is down")
        return [_send(bench, step) for step in story.during]

    during, outage = go_through_outage(bench, story.players(), send_rest)
    return OutOfOrderMeasurement((*before, *during), outage)


def _send(bench: Bench, step: Step) -> Observed:
    status = bench.client.deliver(step.event_id, step.entry, step.sequence)
    return Observed(status, bench.ledger.score(step.entry.player), None)
