"""Counts what becomes of each request of one process."""

from collections.abc import Callable
from typing import Any

from locustfiles.http.attempt import Attempt
from locustfiles.http.connection import FAILURE_KINDS, FailureKind
from locustfiles.operations.contract import Operation, Reply
from locustfiles.recording.buckets import bucket_of, clamped
from locustfiles.recording.last_scores import LastScores
from locustfiles.recording.recording import Recording, Timing
from locustfiles.recording.request_log import RequestLog
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival
from locustfiles.schedule.clock import MICROSECONDS


class Recorder:
    """Counts into a recording that is taken away and replaced again and again.

    Locust's own statistics get each request too, for its web page; our numbers are not theirs.
    """

    def __init__(self, plan: Plan, log: RequestLog, fire_request: Callable[..., object]) -> None:
        self._plan = plan
        self._log = log
        self._fire_request = fire_request
        self._operations = tuple(plan.rates_per_second)
        self._recording = Recording.of(self._operations)
        self._scores = LastScores()
        # Locust groups errors by text, so there is one error for each kind.
        self._errors = {kind: Exception(kind) for kind in FAILURE_KINDS}

    def take_counts(self) -> dict[str, Any]:
        """Return what was counted since the last call, and begin anew."""
        recording, scores = self._recording, self._scores
        self._recording, self._scores = Recording.of(self._operations), LastScores()
        return {"recording": recording.as_message(), "scores": scores.as_message()}

    def count_offered(self, operation: str, arrival: Arrival, late_us: int) -> None:
        """Count an arrival that is due, and how late the scheduler was."""
        second = arrival.intended_us // MICROSECONDS
        self._recording.operations[operation].seconds[second].offered += 1
        if self._plan.is_measured(second):
            bucket = bucket_of(clamped(late_us))
            lateness = self._recording.lateness_us
            lateness[bucket] = lateness.get(bucket, 0) + 1

    def count_dropped(self, operation: str, arrival: Arrival) -> None:
        """Count an arrival that was never sent."""
        second = arrival.intended_us // MICROSECONDS
        self._recording.operations[operation].seconds[second].dropped += 1
        self._log.append_request(operation, arrival, "dropped", 0, 0)

    def count_reconnects(self, operation: str, times: int) -> None:
        """Count how often a connection had to be opened again."""
        self._recording.operations[operation].reconnects += times

    def count_outcome(self, operation: Operation, arrival: Arrival, outcome: Attempt) -> None:
        """Count the outcome of a request that was sent."""
        record = self._recording.operations[operation.name]
        second = arrival.intended_us // MICROSECONDS
        timing = Timing(arrival.intended_us, outcome.begun_us, outcome.ended_us)
        is_measured = self._plan.is_measured(second)
        reply = Reply(outcome.failure)
        if reply.failure is None:
            reply = operation.judge(arrival, outcome.status, outcome.body)
        failure, status, accepted, age_us = reply
        if failure is None:
            record.count_success(second, timing, status, measured=is_measured)
            if age_us is not None and is_measured:
                record.count_age(age_us)
            if accepted is not None:
                self._scores.accept(arrival.player, accepted)
        else:
            record.count_failure(
                second,
                timing,
                failure,
                answered=outcome.failure is None,
                unknown=outcome.was_written,
                measured=is_measured,
            )
            if outcome.was_written and operation.name == "submit":
                self._scores.uncertain.add(arrival.player)
        outcome_name = failure or status or "ok"
        self._log.append_request(
            operation.name, arrival, outcome_name, timing.begun_us, timing.ended_us
        )
        self._report_to_locust(operation.name, timing, failure, len(outcome.body))

    def _report_to_locust(
        self, operation: str, timing: Timing, failure: FailureKind | None, length: int
    ) -> None:
        self._fire_request(
            request_type="HTTP",
            name=operation,
            response_time=(timing.ended_us - timing.intended_us) / 1000,
            response_length=length,
            exception=self._errors[failure] if failure else None,
            context={},
        )
