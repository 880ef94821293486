"""Every question of every dashboard, put to a Prometheus that has scraped a run."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from dashboards.datacheck.filling import fill, window
from dashboards.datacheck.judging import Verdict, judge
from dashboards.datacheck.prometheus_api import PrometheusApi, QueryFailed, Series
from dashboards.datacheck.questions import Dashboard, Question
from dashboards.prometheus.targets import GENERATOR, REDIS

# metrics say by their prefix which job they are scraped from; all others are the service's
_PREFIX: Final = re.compile(r"(?<![a-z_])(loadgen|redis)_")
_JOB: Final = {"loadgen": GENERATOR, "redis": REDIS}


@dataclass(frozen=True)
class Report:
    """What the check saw: the modes that were run, the verdicts, and what it could not ask."""

    dashboards: tuple[Dashboard, ...]
    modes: frozenset[str]
    verdicts: tuple[Verdict, ...]
    other_mode: tuple[Question, ...]
    no_target: tuple[Question, ...]

    @property
    def faulty(self) -> tuple[Verdict, ...]:
        """Pick the verdicts that found something wrong."""
        return tuple(verdict for verdict in self.verdicts if verdict.faults)


def check(
    api: PrometheusApi, dashboards: Sequence[Dashboard], jobs: Collection[str], now: float
) -> Report:
    """Put every question that can be answered: its mode was run, and its job is scraped."""
    seen = api.instant("count by (mode) (last_over_time(leaderboard_info[1h]))", now)
    modes = frozenset(series.labels["mode"] for series in seen)
    verdicts: list[Verdict] = []
    other_mode: list[Question] = []
    no_target: list[Question] = []
    for dashboard in dashboards:
        for question in dashboard.questions:
            if not jobs_of(question.expr) <= set(jobs):
                no_target.append(question)
            elif question.mode not in {None, *modes}:
                other_mode.append(question)
            else:
                verdicts.append(_ask(api, dashboard, question, now))
    return Report(tuple(dashboards), modes, tuple(verdicts), tuple(other_mode), tuple(no_target))


def jobs_of(expr: str) -> set[str]:
    """Name the scrape jobs an expression reads, besides the service that every check has."""
    return {_JOB[prefix] for prefix in _PREFIX.findall(expr)}


def _ask(api: PrometheusApi, dashboard: Dashboard, question: Question, now: float) -> Verdict:
    values = 0
    faults: list[str] = []
    for choice, chosen in _choices(dashboard, question):
        try:
            answer = _answer(api, dashboard, question, choice, now)
        except QueryFailed as error:
            faults.append(f"refused: {error}")
            continue
        # only what is chosen when the page opens must show something
        verdict = judge(question, answer, may_be_empty=question.may_be_empty or not chosen)
        values += verdict.values
        faults += verdict.faults
    return Verdict(question, values, tuple(dict.fromkeys(faults)))


def _choices(dashboard: Dashboard, question: Question) -> Iterator[tuple[dict[str, str], bool]]:
    """Give the variables' values: as the page opens, then every other value of those in use."""
    current = {variable.name: variable.current for variable in dashboard.variables}
    yield current, True
    for variable in dashboard.variables:
        if f"${variable.name}" in question.expr:
            for value in variable.values:
                if value != variable.current:
                    yield {**current, variable.name: value}, False


def _answer(
    api: PrometheusApi, dashboard: Dashboard, question: Question, choice: dict[str, str], now: float
) -> list[Series]:
    covered = window(dashboard.since, question.width)
    expr = fill(question.expr, {**choice, **covered.variables()})
    if question.instant:
        return api.instant(expr, now)
    return api.range(expr, now - covered.range_seconds, now, covered.step_seconds)
