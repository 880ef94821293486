"""A sweep told in sentences, the same in the terminal and on the page."""

from collections.abc import Iterator

from reports.numbers.sweep_figures import DURING, SweepFigures


def sweep_sentences(figures: SweepFigures, *, trusted: bool) -> list[str]:
    """What it found, how fast, and what counting was like meanwhile.

    Of a measurement that cannot be trusted no ratio is told: it would be read as a finding.
    """
    return [*_sweep(figures), *_counting(figures), *(_ratio(figures) if trusted else ())]


def _sweep(figures: SweepFigures) -> Iterator[str]:
    sweep = figures.sweep
    counts = (
        f"scanned {sweep.scanned:,} of {figures.facts.members:,} members, changed "
        f"{sweep.changed:,}, unchanged {sweep.unchanged:,}, unlocked {sweep.unlocked:,}"
    )
    speed = figures.members_per_second
    if speed is not None:
        yield f"{counts}, in {sweep.seconds:.3f} s: {speed:,.0f} members a second"
    else:
        yield f"{counts}; it had not ended when the run did"
    if sweep.failed:
        yield f"the recount failed for {sweep.failed:,} members; service.log names them"
    if sweep.trouble:
        yield f"what became of it is not known: {sweep.trouble}"


def _counting(figures: SweepFigures) -> Iterator[str]:
    parts = []
    for span in figures.spans:
        if span.seconds:
            seconds = f"second {span.seconds.start} to {span.seconds.stop}"
            if span.phase == DURING:
                seconds += ", the whole seconds in which the sweep ran"
            p99 = "too few answers" if span.p99_ms is None else f"{span.p99_ms:,.1f} ms"
            parts.append(f"{span.phase} {p99} ({seconds})")
    if parts:
        yield f"p99 of count: {', '.join(parts)}"


def _ratio(figures: SweepFigures) -> Iterator[str]:
    ratio = figures.p99_ratio
    if ratio is not None:
        yield f"during the sweep the p99 of count was {ratio:.1f} times what it was before"
