"""When a night's reconcile begins and its sweep is due, on the clocks of one zone."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Nights:
    """The times of every night; a night is named by the date on which its sweep is due.

    Where the clocks skip a time of day, it is when they do: the first moment after it. Where they
    show it twice, it is the first of the two. So every night has one reconcile and one sweep, in
    that order, unless the clocks skip both.
    """

    zone: ZoneInfo
    reconcile_at: time
    sweep_at: time

    def reconcile_ms(self, night: date) -> int:
        """When the reconcile of the night begins."""
        return self._moment_ms(night, self.reconcile_at)

    def sweep_ms(self, night: date) -> int:
        """When the sweep of the night is due."""
        return self._moment_ms(night, self.sweep_at)

    def closes_ms(self, night: date) -> int:
        """When the night is over: the next one's reconcile begins to change the counters."""
        return self.reconcile_ms(night + _DAY)

    def is_word_for(self, night: date, said_ms: int | None) -> bool:
        """Whether a word at this moment says that the night's reconcile is complete."""
        begins_ms = self.reconcile_ms(night)
        return said_ms is not None and begins_ms <= said_ms < self.closes_ms(night)

    def latest(self, now_ms: int) -> date:
        """The last night whose sweep was due by now."""
        today = datetime.fromtimestamp(now_ms / 1_000, self.zone).date()
        return today if self.sweep_ms(today) <= now_ms else today - _DAY

    def _moment_ms(self, night: date, at: time) -> int:
        wanted = datetime.combine(night, at)
        first = wanted.replace(tzinfo=self.zone).astimezone(UTC)
        if first.astimezone(self.zone).replace(tzinfo=None) == wanted:
            return int(first.timestamp()) * 1_000
        return self._change_after(wanted) * 1_000

    def _change_after(self, skipped: datetime) -> int:
        """The second at which the clocks skip this time: read as before and after, it lies between.

        PEP 495: in a gap fold=0 means the offset before, and fold=1 the one after.
        """
        late = int(skipped.replace(tzinfo=self.zone, fold=0).timestamp())
        early = int(skipped.replace(tzinfo=self.zone, fold=1).timestamp())
        after = self._offset(late)
        while early < late:
            middle = (early + late) // 2
            if self._offset(middle) == after:
                late = middle
            else:
                early = middle + 1
        return late

    def _offset(self, second: int) -> timedelta | None:
        return datetime.fromtimestamp(second, self.zone).utcoffset()
