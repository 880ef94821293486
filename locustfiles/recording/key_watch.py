"""Watches the service's per-key counters through the measured phase, once a second."""

import json
from collections.abc import Iterator
from typing import Any, Final

import gevent

from locustfiles.http.attempt import Attempt, get
from locustfiles.http.connection import Connection
from locustfiles.http.dialer import Dialer
from locustfiles.recording.key_counters import (
    Hits,
    has_restarted,
    hits_between,
    read_hits,
    read_ledger_buckets,
    read_snapshot,
)
from locustfiles.schedule.clock import ScheduleClock

_ROUTE: Final = "/metrics"
# A stalled service answers late; after this long the reading is given up.
_SECONDS: Final = 5.0
# The counters move from the first request on; a later first reading misses some hits.
_LATE_SECONDS: Final = 1.0
_READ_ONCE: Final = "the counters were read only once, at the end of the measured phase"
_RESTARTED: Final = (
    "the service was started again in the measured phase, and its counters began anew"
)


class KeyWatch:
    """Reads on whole seconds of the schedule; a late answer counts at the time it came.

    Hits between two readings count for the second that ends at the later one. So after a stall
    one row holds the hits of several seconds, and the other seconds have no row.
    """

    def __init__(self, dialer: Dialer, duration_seconds: int) -> None:
        self._dialer = dialer
        self._connection = Connection(dialer)
        self._duration_seconds = duration_seconds
        self._reason: str | None = "the measured phase did not begin"
        self._start: dict[str, Any] | None = None
        self._end: dict[str, Any] | None = None
        self._has_no_counters = False
        self._spoiled_by: str | None = None
        self._first_hits: Hits = {}
        self._hits: Hits = {}
        self._last_page = b""
        self._last_second = 0.0
        self._rows: dict[int, Hits] = {}

    def run(self, clock: ScheduleClock) -> None:
        """Read from second 0 to the end of the measured phase."""
        for second in range(self._duration_seconds + 1):
            gevent.sleep(max(second - clock.now_seconds(), 0))
            is_last = second == self._duration_seconds
            if is_last or clock.now_seconds() < second + 1:
                self._read(clock, is_last)
            if self._has_no_counters:
                break
        self._connection.close()

    def settled_lines(self, before: int) -> Iterator[str]:
        """A line of seconds.jsonl for each earlier second in which keys were hit."""
        for second, hits in sorted(self._rows.items()):
            if second < before:
                line = {"second": second, "hits": hits}
                yield f"{json.dumps(line, separators=(',', ':'))}\n"

    def forget_seconds(self, before: int) -> None:
        """Forget the earlier seconds."""
        self._rows = {second: hits for second, hits in self._rows.items() if second >= before}

    def measured_hits(self) -> Hits:
        """The hits from the first reading of the measured phase to the last one so far."""
        return hits_between(self._first_hits, self._hits)

    def as_document(self) -> dict[str, Any]:
        """The content of `keys` in measurements.json."""
        return self._document(self._reason, self._end)

    def document_so_far(self) -> dict[str, Any]:
        """The same document as if the measured phase had ended with the last reading."""
        if self._start is None or self._end is not None:
            return self.as_document()
        return self._document(self._spoiled_by, _snapshot(self._last_page, self._last_second))

    def _document(self, reason: str | None, end: dict[str, Any] | None) -> dict[str, Any]:
        seconds = [{"second": second, "hits": hits} for second, hits in sorted(self._rows.items())]
        return {
            "reason": reason,
            "start": self._start,
            "end": end,
            "seconds": seconds,
        }

    def _read(self, clock: ScheduleClock, is_last: bool) -> None:
        outcome = get(self._connection, self._dialer.address, _ROUTE, _SECONDS)
        at_second = clock.now_seconds()
        hits = read_hits(outcome.body)
        self._reason = self._problem(outcome, hits)
        if self._reason is not None:
            return
        if self._start is None:
            self._start = _snapshot(outcome.body, at_second)
            self._first_hits = hits
            if is_last:
                self._spoiled_by = _READ_ONCE
            elif at_second >= _LATE_SECONDS:
                self._spoiled_by = (
                    f"the counters were first read {at_second:.1f} s into the measured phase"
                )
        else:
            if has_restarted(self._hits, hits):
                self._spoiled_by = _RESTARTED
            self._add_row(hits, round(at_second) - 1)
        self._hits = hits
        self._last_page, self._last_second = outcome.body, at_second
        if is_last:
            self._end = _snapshot(outcome.body, at_second)
            self._reason = self._spoiled_by
        else:
            self._reason = "the measured phase did not end"

    def _add_row(self, hits: Hits, second: int) -> None:
        row = self._rows.setdefault(min(max(second, 0), self._duration_seconds - 1), {})
        for key, ops in hits_between(self._hits, hits).items():
            into = row.setdefault(key, {})
            for op, count in ops.items():
                into[op] = into.get(op, 0) + count

    def _problem(self, outcome: Attempt, hits: Hits) -> str | None:
        if outcome.failure is not None:
            return f"{_ROUTE} gave {outcome.in_words()}"
        self._has_no_counters = not hits
        if not outcome.is_ok:
            return f"{_ROUTE} answered {outcome.status}"
        return None if hits else f"{_ROUTE} has no per-key counters"


def _snapshot(page: bytes, at_second: float) -> dict[str, Any]:
    return {
        "at_second": round(at_second, 6),
        "keys": read_snapshot(page),
        "ledger_buckets": read_ledger_buckets(page),
    }
