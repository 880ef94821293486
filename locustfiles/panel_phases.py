"""Which phase a run is in, how far into it, and how long it still takes."""

from math import ceil

from locustfiles.panel_snapshot import Phase
from locustfiles.run_view import RunView


def current_phase(view: RunView, now_seconds: float, counted_until: int, waiting: int) -> Phase:
    """The phase at a time on the schedule's clock, or since the loading began before there is one.

    The counters of a run that is stopping or over say how much of it there is: up to a second.
    """
    if view.ended is not None:
        measured, duration = max(counted_until, 0), view.plan.duration_seconds
        measured = min(measured, duration)
        return Phase(view.ended, measured / duration, f"{measured} of {_span(duration)} measured")
    reason = view.why_stopping()
    if reason is not None:
        return Phase("stopping", None, f"{reason}; {_awaited(waiting)}")
    if view.clock is None:
        return _before_the_start(view, now_seconds)
    return _on_schedule(view, now_seconds, waiting)


def _before_the_start(view: RunView, loading_seconds: float) -> Phase:
    loaded, players = view.loading.ok, view.loading.players
    if loaded == players:
        return Phase("starting", None, "opening connections")
    words = f"{loaded:,} of {players:,}"
    if loaded:
        left = ceil(loading_seconds * (players - loaded) / loaded)
        words += f", about {_span(left)} left"
    return Phase("loading players", loaded / players, words)


def _on_schedule(view: RunView, now_seconds: float, waiting: int) -> Phase:
    warmup, duration = view.plan.warmup_seconds, view.plan.duration_seconds
    if now_seconds < -warmup:
        return Phase("starting", None, "at the next whole second")
    if now_seconds < 0:
        return _timed("warm-up", now_seconds + warmup, warmup)
    if now_seconds < duration:
        return _timed("measured", now_seconds, duration)
    # a request's own limits bound how long anybody waits for its answer
    load = view.plan.load
    limit = load.deadline_seconds + load.request_timeout_seconds
    left = max(ceil(limit - (now_seconds - duration)), 0)
    return Phase("drain", None, f"{_awaited(waiting)}, at most {_span(left)}")


def _timed(name: str, begun_seconds: float, length_seconds: int) -> Phase:
    whole = int(begun_seconds)
    words = f"{whole} of {_span(length_seconds)}, {_span(length_seconds - whole)} left"
    return Phase(name, whole / length_seconds, words)


def _awaited(waiting: int) -> str:
    return "waiting for 1 answer" if waiting == 1 else f"waiting for {waiting:,} answers"


def _span(seconds: int) -> str:
    """A length of time that a reader need not divide."""
    if seconds < 3600:  # noqa: PLR2004  an hour
        return f"{seconds} s"
    return f"{seconds // 3600} h {seconds // 60 % 60:02} min"
