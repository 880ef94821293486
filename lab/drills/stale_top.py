"""Looks at the global top over one connection, so that the same worker of the service answers."""

import http.client
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from types import TracebackType
from typing import NamedTuple, Self

from lab.audit.invariants import Invariant
from lab.cli.variables import Variables
from lab.drills.fault import Findings, Scene
from lab.drills.request_rows import Request
from lab.drills.run_clock import RunClock
from lab.errors import UsageError
from lab.http_json import connection_to, whole_body
from lab.job_pauses import AGGREGATOR, paused_job

_SECONDS = 5.0
_PATH = "/v1/top?k=1"


class TopProbe(NamedTuple):
    """One look, in seconds of the schedule: when, and of which time the answer was, if one came."""

    second: float
    as_of: float | None

    @property
    def age_seconds(self) -> float:
        """How old the answer was."""
        return 0.0 if self.as_of is None else self.second - self.as_of


class TopProber:
    """A keep-alive connection to the service, opened again after a failure."""

    def __init__(self, service_url: str, clock: RunClock) -> None:
        self._connection = connection_to(service_url, _SECONDS)
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def probe(self) -> TopProbe:
        """Ask once; whatever is no answer is none."""
        try:
            self._connection.request("GET", _PATH)
            answer = self._connection.getresponse()
            body = whole_body(answer)
            now = self._clock.now_seconds()
            if answer.status != http.client.OK:
                return TopProbe(now, None)
            as_of = datetime.fromisoformat(json.loads(body)["as_of"]).timestamp()
            return TopProbe(now, as_of - self._clock.epoch(0))
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            self._connection.close()
            return TopProbe(self._clock.now_seconds(), None)


SHORTEST_SECONDS = 20
_LOOK_EVERY_SECONDS = 0.2
_PATIENCE_SECONDS = 15.0
_AFTER_SECONDS = 2.0


@dataclass
class StaleTop:
    """Holds the aggregator, and looks at the top's `as_of` before, meanwhile and after."""

    at_share: float = 0.2
    held_seconds: float = 10.0
    probes: list[TopProbe] = field(default_factory=list)
    span: tuple[float, float] = (0.0, 0.0)

    def strike(self, scene: Scene) -> None:
        """Hold it; afterwards look until the top is of a time after the hold."""
        clock = scene.clock
        clock.wait_until(0)
        begin = self.at_share * clock.duration_seconds
        with TopProber(scene.stack.service_url, clock) as prober:
            self._look(prober, scene, begin)
            with (
                scene.fault(f"the aggregator held for {self.held_seconds:g} s"),
                paused_job(scene.ledger.path, AGGREGATOR),
            ):
                begun = clock.now_seconds()
                try:
                    self._look(prober, scene, begin + self.held_seconds)
                finally:  # also when the run ends under the hold
                    self.span = (begun, clock.now_seconds())
            patience = self.span[1] + _PATIENCE_SECONDS
            while self._fresh_at() is None and clock.now_seconds() < patience:
                self._look(prober, scene, clock.now_seconds())
            self._look(prober, scene, clock.now_seconds() + _AFTER_SECONDS)

    def findings(self, requests: Sequence[Request]) -> Findings:
        """How old the top became, that it never went backwards, and when it was fresh again."""
        del requests
        seen = [probe for probe in self.probes if probe.as_of is not None]
        ages: dict[int, float] = {}
        for probe in seen:
            second = math.floor(probe.second)
            ages[second] = max(round(probe.age_seconds, 3), ages.get(second, 0))
        fresh_at = self._fresh_at()
        backwards = sum(
            (after.as_of or 0) < (before.as_of or 0) for before, after in pairwise(seen)
        )
        return Findings(
            [self._sentence(seen, fresh_at)],
            [
                Invariant(
                    "top K: looks that were answered = looks", len(seen), "=", len(self.probes)
                ),
                Invariant("top K: looks whose as_of went backwards = 0", backwards, "=", 0),
            ],
            math.inf if fresh_at is None else fresh_at,
            ages,
        )

    def _look(self, prober: TopProber, scene: Scene, until: float) -> None:
        """Look once, then every so often until a second of the schedule."""
        while True:
            self.probes.append(prober.probe())
            scene.clock.pause(_LOOK_EVERY_SECONDS)
            if scene.clock.now_seconds() >= until:
                return

    def _fresh_at(self) -> float | None:
        _, ended = self.span
        for probe in self.probes:
            if ended and probe.as_of is not None and probe.as_of > ended:
                return probe.second
        return None

    def _sentence(self, seen: Sequence[TopProbe], fresh_at: float | None) -> str:
        begun, ended = self.span
        before = [one.age_seconds for one in seen if one.second < begun]
        oldest = max((one.age_seconds for one in seen), default=0)
        usual = f"at most {max(before):.1f} s old" if before else "not looked at"
        is_looked_at = any(one.second >= ended for one in seen)
        missing = "not fresh" if is_looked_at else "not looked at"
        fresh = missing if fresh_at is None else f"fresh {fresh_at - ended:.1f} s"
        return (
            f"top K: {usual} before the hold, up to {oldest:.1f} s old under it, "
            f"{fresh} after it; {len(seen):,} of {len(self.probes):,} looks answered"
        )


def with_materialised_top(variables: Variables) -> Variables:
    """The variables with the top K that an aggregator makes.

    Raises:
        UsageError: another one was asked for.
    """
    if variables.top == "live" and "top" in variables.model_fields_set:
        raise UsageError("TOP=live has no aggregator to hold: leave it out.")
    return variables.model_copy(update={"top": "materialised"})
