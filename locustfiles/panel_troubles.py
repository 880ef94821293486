"""What went wrong in the current phase, and what is still open."""

from rich.text import Text

from locustfiles.panel_snapshot import Snapshot, Trouble


def trouble_lines(snapshot: Snapshot) -> list[Text]:
    """A line for each kind of failure and for the drops, the most frequent first."""
    if not snapshot.troubles:
        return [trouble_line(snapshot)]
    found = _by_frequency(snapshot)
    label_width = max(len(_label(one)) for one in found)
    total_width = max(len(f"{one.total:,}") for one in found)
    lines = [
        Text.assemble(
            (f"{_label(one):<{label_width}}  {one.total:>{total_width},}", "bold red"),
            "  ",
            " · ".join(f"{name} {count:,}" for name, count in one.counts),
        )
        for one in found
    ]
    lines[-1].append(_awaited(snapshot))
    return lines


def trouble_line(snapshot: Snapshot) -> Text:
    """All of it on one line."""
    if snapshot.troubles:
        words = " · ".join(f"{_label(one)} {one.total:,}" for one in _by_frequency(snapshot))
        line = Text.assemble((words, "bold red"))
    else:
        line = Text.assemble(("no failures, nothing dropped", "green"))
    return line.append(_awaited(snapshot))


def _label(trouble: Trouble) -> str:
    return trouble.kind if trouble.kind == "dropped" else f"failed, {trouble.kind}"


def _by_frequency(snapshot: Snapshot) -> list[Trouble]:
    return sorted(snapshot.troubles, key=lambda one: -one.total)


def _awaited(snapshot: Snapshot) -> str:
    """The requests without an outcome, which are many when the service stalls."""
    match snapshot.waiting:
        case 0:
            return ""
        case 1:
            return " · 1 answer awaited"
        case many:
            return f" · {many:,} answers awaited"
